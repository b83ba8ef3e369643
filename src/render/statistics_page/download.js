"use strict";
// Offers each plot as an SVG file and each table as CSV. Nothing leaves the page.

// What the style sheet of the page gives a shape, which a file on its own has to carry.
const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "font", "text-anchor"];

const save = (name, type, text) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
};

const fileName = (caption, ending) => {
    const words = `${document.title} ${caption}`.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["figures"];
    return `${words.join("-").slice(0, 100)}.${ending}`;
};

// Copies an element with the styles that it has on the page.
const styled = (element) => {
    const copy = element.cloneNode(true);
    const copies = [copy, ...copy.querySelectorAll("*")];
    [element, ...element.querySelectorAll("*")].forEach((from, place) => {
        const style = getComputedStyle(from);
        for (const name of STYLES) copies[place].style.setProperty(name, style.getPropertyValue(name));
    });
    return copy;
};

const svgFile = (plot) => {
    const copy = styled(plot);
    const [, , width, height] = plot.getAttribute("viewBox").split(" ");
    const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    paper.setAttribute("width", width);
    paper.setAttribute("height", height);
    paper.style.fill = getComputedStyle(document.body).backgroundColor;
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    copy.prepend(...[...document.querySelectorAll("svg.shared defs")].map(styled), paper);
    return new XMLSerializer().serializeToString(copy);
};

// A cell that a spreadsheet would take for a formula is quoted as text.
const field = (text) => {
    const plain = text.replace(/\s+/g, " ").trim();
    const safe = /^[=@]|^[+-](?![\d.]|inf\b|$)/.test(plain) ? `'${plain}` : plain;
    return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

const csv = (table) => [...table.rows].map((row) => [...row.cells].map((cell) => field(cell.textContent)).join(",") + "\n").join("");

const button = (words, label, action) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "save";
    made.textContent = words;
    made.setAttribute("aria-label", label);
    made.addEventListener("click", action);
    return made;
};

// The nearest heading before a table, or the caption of its plot, names its file.
const headingOf = (element) => {
    const figure = element.closest("figure");
    if (figure) return figure.querySelector("figcaption")?.textContent ?? "";
    let before = element;
    while (before && before !== document.body) {
        for (let other = before.previousElementSibling; other; other = other.previousElementSibling) {
            if (/^H[1-6]$/.test(other.tagName)) return other.textContent;
        }
        before = before.parentElement;
    }
    return "";
};

// Several below one heading are numbered.
const counts = new Map();
const captionOf = (element) => {
    const caption = headingOf(element);
    const key = `${element.tagName} ${caption}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return counts.get(key) > 1 ? `${caption} ${counts.get(key)}` : caption;
};

for (const plot of document.querySelectorAll("figure > svg")) {
    const caption = captionOf(plot);
    const download = () => save(fileName(caption, "svg"), "image/svg+xml", svgFile(plot));
    plot.after(button("SVG", `Download as SVG: ${caption}`, download));
}
for (const table of document.querySelectorAll(".wide > table")) {
    const caption = captionOf(table.parentElement);
    const download = () => save(fileName(caption, "csv"), "text/csv", csv(table));
    table.parentElement.after(button("CSV", `Download as CSV: ${caption}`, download));
}
