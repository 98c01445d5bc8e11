"""What the texts of searched rooms are made of, and what is looked for in them. Pure."""

_ENGLISH = """
the a of to in and is that for with this on be are as it we not can when which after before every one two all but
parser timeout request migration database test failing build deploy review change branch commit merge conflict cache
token session packet cursor index query server client socket stream event message agent worker process thread queue
retry error warning config default option value string number table column record field schema version release update
"""
_CHINESE = """
数据库 迁移 测试 失败 请求 超时 解析 缓存 会话 游标 索引 查询 服务器 客户端 消息 代理 进程 线程 队列 重试
错误 配置 选项 字段 记录 版本 发布 更新 提交 合并 冲突 分支 我们 需要 先 再 然后 因为 所以 这个 那个
一个 没有 可以 应该 检查 修改 完成 的 了 在 和 是 不 把 被 对
"""
LANGUAGES = ((_ENGLISH.split(), " "), (_ENGLISH.split(), " "), (_CHINESE.split(), ""))
"""Of one text after the other: its words, and what stands between them."""
RARE_WORDS = ("quokka", "袋鼠")
"""In a few texts more."""
NOWHERE = frozenset({"wombat", "獾", "qx"})

MESSAGE_SEARCHES = {
    "a word of many": "parser",
    "three words": "migration database failing",
    "a rare word": "quokka",
    "in no message": "wombat",
    "CJK, three characters": "数据库",
    "CJK, two characters": "迁移",
    "CJK, one character": "库",
    "CJK, two, rare": "袋鼠",
    "CJK, one, in no message": "獾",
    "two letters": "pa",
    "two letters, in no message": "qx",
}
MEMORY_SEARCHES = {
    "a word of many": "parser",
    "in none": "wombat",
    "CJK, two characters": "迁移",
    "two letters, in none": "qx",
}
