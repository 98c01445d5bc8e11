// Loaded before the conformance suite, which has no option for headers: each request shows an agent's binding.
const usual = globalThis.fetch;

globalThis.fetch = (input, init = {}) => {
  const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : undefined));
  headers.set("X-GroupX-Binding", process.env.GROUPX_TEST_BINDING);
  return usual(input, { ...init, headers });
};
