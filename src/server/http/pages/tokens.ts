/** Each color in light and in dark. A text has a contrast of 4.5 with what is behind it, in both. */
const COLORS = {
  page: ["#f6f7f9", "#0d0f13"],
  panel: ["#fff", "#14171d"],
  raised: ["#fff", "#1a1e26"],
  hover: ["#f1f3f7", "#1c2028"],
  line: ["#e4e7ec", "#262b35"],
  "line-strong": ["#cfd4dd", "#3a414e"],
  control: ["#8c95a4", "#667080"],
  text: ["#16181d", "#eceef2"],
  muted: ["#5a6270", "#a2aab8"],
  faint: ["#6b7280", "#8d95a5"],
  accent: ["#3350e8", "#8ea2ff"],
  "accent-soft": ["#eaeefe", "#1f2645"],
  "on-accent": ["#fff", "#0e1014"],
  good: ["#11633a", "#8fe0b0"],
  "good-soft": ["#e2f5ea", "#12301f"],
  bad: ["#b3261e", "#ffb4ab"],
  "bad-soft": ["#fdecea", "#3d1a17"],
  warn: ["#8a4b00", "#ffcf8a"],
  "warn-soft": ["#fff1dc", "#3a2a10"],
  "chart-good": ["#2f9e63", "#4fbf83"],
  "chart-bad": ["#d9534a", "#e5736b"],
  "chart-warn": ["#d99a2b", "#e0b04e"],
  shadow: ["0 1px 2px #1418240d", "0 1px 2px #ffffff05"],
  "shadow-high": ["0 12px 40px -8px #14182440,0 0 0 1px #14182418", "0 12px 40px -8px #000,0 0 0 1px #ffffff0d"],
} as const satisfies Readonly<Record<string, readonly [light: string, dark: string]>>;

/** The same in both: six spaces, three radii, two smaller sizes of text, two weights beside 400, two fonts. */
const MEASURES = {
  "space-1": "2px",
  "space-2": "4px",
  "space-3": "8px",
  "space-4": "12px",
  "space-5": "16px",
  "space-6": "24px",
  "radius-small": "6px",
  radius: "10px",
  "radius-large": "16px",
  small: ".929rem",
  tiny: ".857rem",
  medium: "500",
  bold: "600",
  sans: 'ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif',
  mono: "ui-monospace,SFMono-Regular,Menlo,Consolas,monospace",
} as const;

function declared(values: readonly (readonly [name: string, value: string])[]): string {
  return values.map(([name, value]) => `--${name}:${value}`).join(";");
}

function colorsOf(theme: 0 | 1): string {
  return declared(Object.entries(COLORS).map(([name, pair]) => [name, pair[theme]]));
}

/** The custom properties of the pages and the dashboard. */
export const TOKENS = `:root{color-scheme:light dark;${declared(Object.entries(MEASURES))};${colorsOf(0)}}
@media (prefers-color-scheme:dark){:root{${colorsOf(1)}}}
`;
