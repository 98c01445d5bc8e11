/* The list of agents' cards: who is to be in the room. */

import { createAgentCard } from "./setup_agent.js";
import { free, idFrom } from "./setup_rules.js";

/* list, empty, note: elements; maxAgents; aboutOf(driver): what it is; onChange(). */
export function createAgents({ list, empty, note, maxAgents, aboutOf, onChange }) {
  let cards = [];
  let made = 0;

  const takenIds = (but) => new Set(cards.filter((card) => card !== but).map((card) => card.id()));

  function put(agent, isNew) {
    const card = createAgentCard({ agent, isNew, place: made, aboutOf, takenIds, onChange, onRemove: remove });
    made += 1;
    cards.push(card);
    list.append(card.element);
    empty.hidden = true;
    return card;
  }

  function remove(card) {
    const at = cards.indexOf(card);
    cards = cards.filter((other) => other !== card);
    card.element.remove();
    empty.hidden = cards.length > 0;
    (cards[at] ?? cards[at - 1])?.focus();
    onChange();
  }

  return {
    /* agents: drafts; isNew: no file has them yet. */
    fill(agents, isNew) {
      for (const card of cards) card.end();
      cards = [];
      made = 0;
      list.replaceChildren();
      empty.hidden = agents.length > 0;
      for (const agent of agents) put(agent, isNew);
    },

    /* One more, ready to be used: with a name and an id of its own. agent: its draft, as far as it is known. */
    add(agent) {
      if (cards.length >= maxAgents) return;
      const names = new Set(cards.map((card) => card.name()));
      const name = free(agent.name, (candidate) => names.has(candidate), " ");
      const id = idFrom(agent.id, takenIds(null));
      const card = put({ identity: "", cwd: ".", enabled: true, ...agent, id, name }, true);
      card.element.scrollIntoView({ block: "nearest" });
      card.focus();
      onChange();
    },

    drafts: () => cards.map((card) => card.draft()),
    count: () => cards.length,

    /* issues: with paths below `config.`. Gives those without a field. */
    say(issues) {
      const whole = issues.find(({ path }) => path === "agents");
      note.hidden = !whole;
      note.textContent = whole?.message ?? "";
      const homeless = cards.flatMap((card, index) => {
        const start = `agents.${index}.`;
        return card.say(issues.filter(({ path }) => path.startsWith(start)).map((issue) => ({ ...issue, path: issue.path.slice(start.length) })));
      });
      return homeless;
    },

    end() {
      for (const card of cards) card.end();
    },
  };
}
