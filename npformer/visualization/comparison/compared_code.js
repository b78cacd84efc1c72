// A line that only one of the two recordings has, with the letter of that recording.
function markChange(item, sign) {
  const side = sign === "+" ? "b" : "a";
  item.classList.add(sign === "+" ? "added" : "removed");
  const code = item.querySelector("code");
  if (!code) return;
  const change = make("span", { class: `only-${side}` });
  code.replaceWith(change);
  change.append(make("b", { class: `of-${side}` }, side.toUpperCase(), make("span", { class: "spoken" }, " only: ")), code);
}
