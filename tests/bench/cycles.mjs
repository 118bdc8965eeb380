// Starts runs that suspend and resumes them, on kept-alive connections: URL, KEY, CONNECTIONS, SECONDS.
import { Agent, request } from "node:http";

const [url, key, connections, seconds] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) });
const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };

function post(path, body) {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method: "POST", agent, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (part) => (text += part));
      answer.on("end", () => resolve(JSON.parse(text)));
    });
    sent.on("error", reject);
    sent.end(JSON.stringify(body));
  });
}

let done = 0;
let failed = 0;
const begun = performance.now();
const until = begun + seconds * 1000;

async function cycle() {
  while (performance.now() < until) {
    const { runId } = await post("/start-async", { inputData: 1 });
    const { status, result } = await post(`/resume-async?runId=${runId}`, { resumeData: 7 });
    if (status === "success" && result === 7) done += 1;
    else failed += 1;
  }
}

await Promise.all(Array.from({ length: Number(connections) }, cycle));
agent.destroy();
console.log(JSON.stringify({ perSecond: (done * 1000) / (performance.now() - begun), failed }));
