// The picture of the board. A click changes little of it: only the elements that differ are replaced, as a large board
// takes long to lay out.

const hasSameTag = (one, other) => one.cloneNode(false).isEqualNode(other.cloneNode(false))

// Makes the children of an element those of another one.
function patch(element, next) {
  const [old, wanted] = [[...element.childNodes], [...next.childNodes]]
  const most = Math.min(old.length, wanted.length)
  let [before, after] = [0, 0]
  while (before < most && old[before].isEqualNode(wanted[before])) before++
  while (after < most - before && old.at(-1 - after).isEqualNode(wanted.at(-1 - after))) after++
  const [gone, added] = [old.slice(before, old.length - after), wanted.slice(before, wanted.length - after)]
  if (gone.length !== added.length) {
    const place = old[old.length - after] ?? null
    for (const node of gone) node.remove()
    for (const node of added) element.insertBefore(node, place)
    return
  }
  gone.forEach((node, index) => {
    if (node.isEqualNode(added[index])) return
    if (node.childNodes.length && hasSameTag(node, added[index])) patch(node, added[index])
    else node.replaceWith(added[index])
  })
}

// Shows a picture, which the server has drawn and escaped, in an element.
export function showPicture(element, svg) {
  const template = document.createElement('template')
  template.innerHTML = svg
  patch(element, template.content)
}
