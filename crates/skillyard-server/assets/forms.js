// Forms of a page that is older than the server are sent with the value that its pages carry now: what
// was written into them is not lost.
import { proof, renewed } from "./dom.js";

const watch = (form, field) => {
  let state = "written";
  form.addEventListener("submit", async (event) => {
    if (state === "ready") return;
    event.preventDefault();
    if (state === "asking") return;
    state = "asking";
    await renewed();
    field.value = proof();
    state = "ready";
    form.requestSubmit(event.submitter);
    state = "written";
  });
};

for (const field of document.querySelectorAll("form[method=post] input[name=csrf]")) watch(field.form, field);
