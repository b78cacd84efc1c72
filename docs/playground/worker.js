// Python in a worker of the page: loads Pyodide, NumPy and npformer, then answers requests.
// The page sends { id, settings } first, then { id, request }; each is answered by { id, answer }, and what happens
// meanwhile is told by { progress }.

let answer;

async function load({ pyodide, archive, session }) {
  const python = await loadPythonWithNumPy(pyodide);
  postMessage({ progress: "Loading npformer, 3 of 3" });
  const [packed, code] = await Promise.all([fetched(archive), fetched(session)]);
  python.unpackArchive(await packed.arrayBuffer(), "zip", { extractDir: "/home/pyodide" });
  python.FS.writeFile("/home/pyodide/session.py", await code.text());
  answer = python.runPython(`
from session import Session, answer
session = Session()
lambda request: answer(session, request)
`);
}

async function loadPythonWithNumPy(pyodide) {
  try {
    postMessage({ progress: "Loading Python, 1 of 3" });
    importScripts(`${pyodide}/pyodide.js`);
    const python = await loadPyodide({ indexURL: `${pyodide}/` });
    postMessage({ progress: "Loading NumPy, 2 of 3" });
    await python.loadPackage("numpy", { messageCallback() {} });
    return python;
  } catch (error) {
    console.warn(error);
    throw new Error(`Python cannot be loaded from ${pyodide}. It needs a network, or a copy of Pyodide on this site. Without it the page shows its recorded example.`);
  }
}

async function fetched(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} is not there (${response.status})`);
  return response;
}

onmessage = async ({ data: { id, settings, request } }) => {
  try {
    if (settings) await load(settings);
    postMessage({ id, answer: request ? answer(request) : "{}" });
  } catch (error) {
    // the last line of Python's report says what happened
    const text = String(error.message ?? error).trim().split("\n").at(-1);
    postMessage({ id, answer: JSON.stringify({ error: text }) });
  }
};
