import type {Tone} from '../../nouns/noun.ts';

export type {Tone} from '../../nouns/noun.ts';

export type ThemeName = 'dark' | 'light' | 'ansi16' | 'mono';

/**
 * How a tone looks. The themes `dark` and `light` use those of the 256 colours that look alike in every terminal, with a contrast of at least 4.5:1 to the usual
 * backgrounds; `ansi16` uses the terminal's own palette.
 */
export type Look = {
	readonly color?: string;
	readonly backgroundColor?: string;
	readonly bold?: boolean;
	readonly dimColor?: boolean;
	readonly inverse?: boolean;
	readonly underline?: boolean;
	readonly strikethrough?: boolean;
};

export type Theme = Readonly<Record<Tone, Look>>;

export const themeNames: readonly ThemeName[] = ['dark', 'light', 'ansi16', 'mono'];

type ColorName = 'quiet' | 'title' | 'good' | 'warn' | 'bad' | 'accent';

/** A theme with these colours, as names or as numbers among the 256; absent ones are the terminal's default. */
function coloured(colors: Readonly<Partial<Record<ColorName, number | string>>>): Theme {
	const of = (name: ColorName): Look => {
		const color = colors[name];
		return color === undefined
			? {}
			: {color: typeof color === 'number' ? `ansi256(${color})` : color};
	};

	return {
		plain: {},
		quiet: of('quiet'),
		strong: {bold: true},
		title: of('title'),
		good: of('good'),
		warn: of('warn'),
		bad: of('bad'),
		accent: of('accent'),
		selected: {bold: true},
		invalid: {...of('bad'), underline: true},
		off: {...of('quiet'), strikethrough: true},
		code: {color: 'black', backgroundColor: 'whiteBright'},
	};
}

const ansi16: Theme = {
	...coloured({title: 'cyan', good: 'green', warn: 'yellow', bad: 'red', accent: 'cyan'}),
	selected: {inverse: true},
};

/** A theme in which all tones look alike, except for these. */
const alike = (look: Look, others: Partial<Theme>): Theme => {
	const all = Object.fromEntries(Object.keys(ansi16).map(tone => [tone, look]));
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a theme has all tones
	return {...(all as Theme), ...others};
};

export const themes: Readonly<Record<ThemeName, Theme>> = {
	dark: coloured({quiet: 245, title: 37, good: 71, warn: 172, bad: 203, accent: 44}),
	light: coloured({quiet: 241, title: 25, good: 22, warn: 94, bad: 124, accent: 26}),
	ansi16,
	mono: alike({}, {invalid: {underline: true}, off: {strikethrough: true}}),
};

/** A theme for what is behind a dialog: readable, but nothing stands out. */
const behind = ({quiet, plain}: Theme): Theme =>
	alike(quiet, {off: {...quiet, strikethrough: true}, code: plain});

/** The themes as they look behind a dialog. */
export const themesBehind: Readonly<Record<ThemeName, Theme>> = {
	dark: behind(themes.dark),
	light: behind(themes.light),
	ansi16: behind(themes.ansi16),
	mono: behind(themes.mono),
};

/** The default theme. Some terminals put their colours into `COLORFGBG`, the background last: `0;15`. */
export const usualTheme = (colors: string | undefined): ThemeName =>
	/;(?:7|15)$/.test(colors ?? '') ? 'light' : 'dark';
