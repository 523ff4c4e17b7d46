// Covers for what has no image: drawn from topics and id, always the same for the same item.

import { el, svg } from "/static/common.js";

const W = 320;
const H = 240;

/** Ground, far, middle, near and a spark; all dark enough below for white letters. */
const PALETTES = [
  ["#14213d", "#27406f", "#e07a3f", "#0c1528", "#ffd9a0"],
  ["#2b1b3d", "#57356f", "#d8598a", "#1a0f27", "#ffd3c2"],
  ["#0f3d3e", "#1c6763", "#e3b23c", "#08292a", "#f6eccb"],
  ["#3b1d1d", "#7a2f2a", "#e8743b", "#241010", "#ffdcae"],
  ["#1c2b1f", "#3e6142", "#d9c36a", "#101a13", "#f2efcf"],
  ["#10263f", "#1f5e86", "#64c2c9", "#091829", "#f4e9d2"],
  ["#31202c", "#8a3b4c", "#f0a57a", "#1f131c", "#ffe6c9"],
  ["#1a1a2e", "#3d3b74", "#9f86e8", "#101020", "#ffcf70"],
  ["#37260f", "#80571c", "#efc15a", "#221707", "#fff0c9"],
  ["#0e2f2b", "#2b7a5b", "#9fd28a", "#08201d", "#fdf3cf"],
  ["#2a1a12", "#6b3f2a", "#c96f4a", "#1b100a", "#f7d9bd"],
  ["#1f2937", "#475a75", "#f2796b", "#121a26", "#e9edf2"],
];

/** What a topic looks like: the first words that fit. */
const MOTIFS = [
  [/space|robot|alien|planet|science fiction|future|star/i, space],
  [/japan|samurai|martial|asia/i, rising],
  [/western|desert|road|journey|travel|adventure|epic/i, hills],
  [/horror|dark|ghost|vampire|nightmare|dream|strange/i, spiral],
  [/myster|twist|thrill|suspense|secret|prison|escape/i, beam],
  [/gangster|heist|crime|city|detective|noir|politic|spy|cities|office/i, city],
  [/music|song|dance|jazz|sing|radio/i, bars],
  [/fairy|fantasy|forest|nature|animal|magic|garden|vegetable|salad|herb/i, forest],
  [/love|romance|wedding|couple|friend|heart/i, pair],
  [/sea|water|ship|ocean|fish|island|soup|drink/i, waves],
  [/action|chase|race|sport|speed|revenge/i, stripes],
  [/war|hero|super|battle|fight|disaster|power/i, rays],
  [/bak|dessert|sweet|bread|cook|meal|dinner|breakfast|pasta|rice|curry|spic|vegan|vegetarian|recipe|chicken|meat|cheese/i, plate],
  [/novel|book|essay|poet|poem|stories|story|histor|memoir|classic|biograph/i, shelf],
  [/comed|feel-good|animat|famil|child|fun|grow/i, confetti],
];
const ABSTRACT = [tiles, rays, waves, hills, confetti, pair, spiral, stripes];

function hash(text) {
  let found = 2166136261;
  for (let i = 0; i < text.length; i += 1) found = Math.imul(found ^ text.charCodeAt(i), 16777619);
  return found >>> 0;
}

/** Numbers from 0 to 1 that look random and are always the same. */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** One of what its topics look like; where none says anything, something abstract. */
function motifOf(topics, chance) {
  const found = topics.map((topic) => MOTIFS.find(([words]) => words.test(topic))?.[1]).filter(Boolean);
  const among = found.length ? [...new Set(found)] : ABSTRACT;
  return among[Math.floor(chance() * among.length)];
}

/** An item's image, or its cover where there is none or it does not load. */
export function portraitOf(item) {
  if (!item.image) return cover(item);
  const image = el("img", { class: "art", src: item.image, alt: "", loading: "lazy", decoding: "async" });
  image.addEventListener("error", () => image.replaceWith(cover(item)), { once: true });
  return image;
}

/** The cover of an item: decoration, so nothing for screen readers. */
function cover({ item, terms = [] }) {
  const chance = numbers(hash(item));
  const palette = PALETTES[Math.floor(chance() * PALETTES.length)];
  const drawn = motifOf(terms, chance)(palette, chance);
  return svg("svg", { class: "art", viewBox: `0 0 ${W} ${H}`, preserveAspectRatio: "xMidYMid slice", "aria-hidden": "true", focusable: "false" },
    rect(0, 0, W, H, palette[0]), ...drawn);
}

const rect = (x, y, width, height, fill, more = {}) => svg("rect", { x, y, width, height, fill, ...more });
const disc = (cx, cy, r, fill, more = {}) => svg("circle", { cx, cy, r, fill, ...more });
const path = (d, fill, more = {}) => svg("path", { d, fill, ...more });
const times = (count, make) => Array.from({ length: count }, (_, i) => make(i));
const between = (chance, low, high) => low + (high - low) * chance();

function space([, far, middle, near, spark], chance) {
  const [x, y, r] = [between(chance, 90, 230), between(chance, 70, 120), between(chance, 42, 66)];
  const tilt = between(chance, -28, 28);
  return [
    ...times(38, () => disc(chance() * W, chance() * H, between(chance, 0.5, 1.7), spark, { opacity: between(chance, 0.3, 1) })),
    disc(x, y, r * 1.5, far, { opacity: 0.35 }),
    disc(x, y, r, middle),
    path(`M${x - r} ${y} a${r} ${r} 0 0 0 ${2 * r} 0 a${r} ${r * 0.35} 0 0 1 ${-2 * r} 0`, near, { opacity: 0.35, transform: `rotate(${tilt} ${x} ${y})` }),
    svg("ellipse", { cx: x, cy: y, rx: r * 1.75, ry: r * 0.36, fill: "none", stroke: spark, "stroke-width": 3, transform: `rotate(${tilt} ${x} ${y})`, opacity: 0.9 }),
    disc(between(chance, 20, 300), between(chance, 20, 60), between(chance, 6, 11), spark),
  ];
}

function ridge(y, height, chance, fill) {
  const points = times(9, (i) => `${(i * W) / 8},${(y + (chance() - 0.5) * height).toFixed(1)}`);
  return path(`M0,${H} L${points.join(" L")} L${W},${H} Z`, fill);
}

function hills([, far, middle, near, spark], chance) {
  return [
    disc(between(chance, 70, 250), between(chance, 70, 105), between(chance, 30, 46), chance() < 0.5 ? spark : middle),
    ridge(130, 46, chance, far), ridge(162, 40, chance, middle), ridge(196, 34, chance, near),
  ];
}

function rising([, far, middle, near, spark], chance) {
  const x = between(chance, 110, 210);
  const scales = times(4, (row) => times(9, (i) => {
    const cx = i * 44 - (row % 2) * 22;
    const cy = 178 + row * 22;
    return [disc(cx, cy, 26, row % 2 ? near : far), disc(cx, cy, 18, "none", { stroke: spark, opacity: 0.5 }), disc(cx, cy, 10, "none", { stroke: spark, opacity: 0.5 })];
  }));
  return [disc(x, 92, 58, middle), ...scales.flat(2)];
}

function spiral([, far, middle, near, spark], chance) {
  const [x, y] = [between(chance, 110, 210), between(chance, 80, 125)];
  const rings = times(9, (i) => disc(x + i * between(chance, -2.5, 2.5), y + i * between(chance, -1.5, 1.5), 150 - i * 16, [far, near][i % 2]));
  return [...rings, disc(x, y, 15, middle), disc(x + 4, y - 4, 4, spark)];
}

function city([, far, middle, near, spark], chance) {
  const row = (fill, low, high, step) => times(Math.ceil(W / step), (i) => {
    const height = between(chance, low, high);
    return { x: i * step, y: H - height, width: step - 2, height, fill };
  });
  const back = row(far, 90, 170, 34);
  const front = row(near, 50, 125, 46);
  const lights = front.flatMap(({ x, y }) => times(10, (i) => [x + 9 + (i % 3) * 11, y + 12 + Math.floor(i / 3) * 15]))
    .filter(() => chance() < 0.42).map(([x, y]) => rect(x, y, 5, 7, spark, { opacity: 0.85 }));
  return [disc(between(chance, 60, 260), between(chance, 50, 80), 26, middle), ...back.map(block), ...front.map(block), ...lights];
}

const block = ({ x, y, width, height, fill }) => rect(x, y, width, height, fill);

function bars([, far, middle, near, spark], chance) {
  const wave = between(chance, 0.25, 0.5);
  const lines = times(27, (i) => {
    const height = 26 + 96 * Math.abs(Math.sin(i * wave + chance())) ** 1.4;
    return rect(i * 12 + 2, 112 - height / 2, 6, height, [middle, spark, far][i % 3], { rx: 3 });
  });
  return [disc(160, 112, 104, near), disc(160, 112, 74, far, { opacity: 0.5 }), ...lines];
}

function forest([, far, middle, near, spark], chance) {
  const tree = (x, base, height, fill) => path(`M${x} ${base - height} l${height * 0.28} ${height} h${-height * 0.56} Z`, fill);
  return [
    disc(between(chance, 70, 250), between(chance, 52, 84), between(chance, 22, 34), spark),
    ...times(14, (i) => tree(i * 26 + between(chance, -8, 8), 200, between(chance, 70, 120), far)),
    ...times(9, (i) => tree(i * 42 + between(chance, -10, 10), 224, between(chance, 90, 140), middle)).map((each) => { each.setAttribute("opacity", "0.55"); return each; }),
    ...times(7, (i) => tree(i * 56 + between(chance, -14, 14), H + 16, between(chance, 90, 150), near)),
  ];
}

function pair([, far, middle, near, spark], chance) {
  const r = between(chance, 50, 64);
  const y = between(chance, 92, 112);
  const by = r * between(chance, 0.5, 0.72);
  return [
    ...times(5, (i) => disc(160, y, 70 + i * 32, "none", { stroke: far, "stroke-width": 10, opacity: 0.5 })),
    disc(160 - by, y, r, middle), disc(160 + by, y, r, spark, { opacity: 0.86 }),
    disc(between(chance, 30, 290), 200, 6, near),
  ];
}

function waves([, far, middle, near, spark], chance) {
  const wave = (y, size, fill) => {
    const shift = chance() * 80;
    const arcs = times(7, (i) => `Q${i * 80 - shift - 40} ${y - size} ${i * 80 - shift} ${y} T${i * 80 - shift + 40} ${y}`).join(" ");
    return path(`M${-100} ${y} ${arcs} L${W + 120} ${H} L-100 ${H} Z`, fill);
  };
  return [
    disc(between(chance, 90, 230), between(chance, 66, 92), between(chance, 34, 46), spark),
    wave(122, 26, far), wave(150, 24, middle), wave(180, 22, far), wave(204, 18, near),
  ];
}

function rays([, far, middle, near, spark], chance) {
  const [x, y] = [between(chance, 120, 200), between(chance, 130, 170)];
  const count = 18;
  const beams = times(count, (i) => {
    const [a, b] = [(i / count) * 2 * Math.PI, ((i + 0.5) / count) * 2 * Math.PI];
    return path(`M${x} ${y} L${x + 400 * Math.cos(a)} ${y + 400 * Math.sin(a)} L${x + 400 * Math.cos(b)} ${y + 400 * Math.sin(b)} Z`, i % 2 ? far : middle, { opacity: i % 2 ? 1 : 0.5 });
  });
  return [...beams, disc(x, y, 52, near), disc(x, y, 38, spark)];
}

function beam([, far, middle, near, spark], chance) {
  const x = between(chance, 60, 260);
  const to = between(chance, 110, 210);
  return [
    ...times(16, (i) => rect(i * 20, 0, 12, H, far, { opacity: 0.22 })),
    path(`M${x} 0 L${to - 96} ${H} L${to + 96} ${H} Z`, spark, { opacity: 0.28 }),
    path(`M${x} 0 L${to - 52} ${H} L${to + 52} ${H} Z`, spark, { opacity: 0.4 }),
    svg("ellipse", { cx: to, cy: 206, rx: 84, ry: 17, fill: middle, opacity: 0.8 }),
    disc(to, 112, 17, near), path(`M${to - 24} 206 C${to - 30} 150 ${to - 16} 126 ${to} 126 C${to + 16} 126 ${to + 30} 150 ${to + 24} 206 Z`, near),
  ];
}

function stripes([, far, middle, near, spark], chance) {
  const lean = between(chance, 60, 130);
  const bands = times(9, (i) => {
    const x = i * 56 - 140 + between(chance, -10, 10);
    const width = between(chance, 10, 42);
    return path(`M${x} ${H} L${x + lean} 0 h${width} L${x + width} ${H} Z`, [far, middle, near, far][i % 4], { opacity: 0.9 });
  });
  return [...bands, disc(between(chance, 80, 240), between(chance, 74, 112), between(chance, 24, 40), spark)];
}

function plate([, far, middle, near, spark], chance) {
  const [x, y] = [160, 104];
  const leaf = (angle, distance, size, fill) =>
    path(`M0 0 q${size * 0.6} ${-size * 0.5} ${size} 0 q${-size * 0.4} ${size * 0.5} ${-size} 0`, fill, { transform: `translate(${x} ${y}) rotate(${angle}) translate(${distance} 0)` });
  return [
    ...times(8, (i) => rect(i * 44 - 10, 0, 20, H, far, { opacity: 0.35 })),
    disc(x, y, 88, near, { opacity: 0.6 }), disc(x, y, 80, spark), disc(x, y, 60, far),
    ...times(13, () => leaf(chance() * 360, between(chance, 4, 32), between(chance, 16, 28), chance() < 0.5 ? middle : spark)),
    ...times(6, () => disc(x + between(chance, -36, 36), y + between(chance, -36, 36), between(chance, 3, 7), middle)),
  ];
}

function shelf([, far, middle, near, spark], chance) {
  const books = [];
  for (let x = 18; x < W - 20;) {
    const width = between(chance, 14, 32);
    const height = between(chance, 92, 148);
    const fill = [far, middle, spark, far][Math.floor(chance() * 4)];
    books.push(rect(x, 186 - height, width, height, fill, { rx: 2 }), rect(x, 186 - height + 14, width, 4, near, { opacity: 0.55 }), rect(x, 160, width, 2, near, { opacity: 0.55 }));
    x += width + (chance() < 0.15 ? 12 : 2);
  }
  return [...books, rect(0, 186, W, 9, near)];
}

function confetti([, far, middle, near, spark], chance) {
  const colours = [far, middle, spark, near];
  return times(54, (i) => {
    const [x, y, fill] = [chance() * W, chance() * 210, colours[i % 4]];
    const turn = { transform: `rotate(${Math.round(chance() * 180)} ${x} ${y})` };
    if (i % 3 === 0) return disc(x, y, between(chance, 5, 15), fill);
    if (i % 3 === 1) return rect(x, y, between(chance, 14, 34), 9, fill, { rx: 4.5, ...turn });
    return path(`M${x} ${y} a14 14 0 0 1 28 0`, "none", { stroke: fill, "stroke-width": 6, "stroke-linecap": "round", ...turn });
  });
}

function tiles([, far, middle, near, spark], chance) {
  const colours = [far, middle, spark, near];
  const side = 80;
  return times(12, (i) => {
    const [x, y] = [(i % 4) * side, Math.floor(i / 4) * side];
    const [ground, shape] = [colours[Math.floor(chance() * 4)], colours[Math.floor(chance() * 4)]];
    const turn = `rotate(${90 * Math.floor(chance() * 4)} ${x + side / 2} ${y + side / 2})`;
    const inner = [
      path(`M${x} ${y} h${side} a${side} ${side} 0 0 1 ${-side} ${side} Z`, shape, { transform: turn }),
      disc(x + side / 2, y + side / 2, side / 2.6, shape),
      path(`M${x} ${y} h${side} l${-side} ${side} Z`, shape, { transform: turn }),
      path(`M${x} ${y + side / 2} a${side / 2} ${side / 2} 0 0 1 ${side} 0 Z`, shape, { transform: turn }),
    ][Math.floor(chance() * 4)];
    return [rect(x, y, side, side, ground, { opacity: 0.85 }), inner];
  }).flat();
}
