// Says, while an allowlist is typed, how many tools it reaches and what the router switch saves.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const list = document.querySelector("[data-allowlist]");
  if (!list || list.readOnly) return;
  const said = document.createElement("p");
  said.className = "mt-2 text-sm";
  said.setAttribute("aria-live", "polite");
  list.insertAdjacentElement("afterend", said);
  const field = (name) => document.querySelector(`[name="${name}"]`);
  const address = new URL(location.pathname.replace(/(add|[^/]+\/change)\/$/, "reach/"), location.origin);
  let timer = 0;
  let last = 0;

  const show = (found) => {
    if (found.count === null) {
      said.textContent = "Choose a tenant to see what the list reaches.";
      return;
    }
    const names = found.names.join(", ") + (found.count > found.names.length ? ", …" : "");
    said.textContent = `Reaches ${found.count} tools${found.count ? ": " + names : ""}.`;
    if (found.listed !== undefined) {
      said.textContent += ` Its list costs a model ${found.listed} tokens; as a router key ${found.routed}.`;
    }
  };

  const ask = async () => {
    const turn = ++last;
    address.search = new URLSearchParams({
      entries: list.value.replaceAll(",", "\n"),
      tenant: field("tenant")?.value ?? list.form.dataset.tenant ?? "",
      owner: field("owner")?.value ?? "",
    });
    const answer = await fetch(address, { headers: { Accept: "application/json" } });
    if (answer.ok && turn === last) show(await answer.json());
  };

  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(ask, 200);
  };
  list.addEventListener("input", soon);
  for (const name of ["tenant", "owner"]) field(name)?.addEventListener("change", soon);
  ask();
});
