// What is being written stays until the server has it, also when the page is loaded again.

const key = () => "draft " + location.pathname;
// Some browsers keep nothing; then there is nothing to keep.
const tried = (work) => {
  try {
    return work();
  } catch {
    return null;
  }
};

/** Keeps what stands in a box. */
export const keep = (box) => tried(() => (box.value ? sessionStorage.setItem(key(), box.value) : sessionStorage.removeItem(key())));

/** Forgets it. */
export const forget = () => tried(() => sessionStorage.removeItem(key()));

/** Puts it back, and keeps what is written from now on. */
export const attach = (box) => {
  if (!box.value) box.value = tried(() => sessionStorage.getItem(key())) ?? "";
  box.addEventListener("input", () => keep(box));
};
