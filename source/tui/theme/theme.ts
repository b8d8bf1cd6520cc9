import type {Tone} from '../../nouns/noun.ts';

export type {Tone} from '../../nouns/noun.ts';

export type ThemeName = 'dark' | 'light' | 'ansi16' | 'mono';

/**
 * What `<T>` is told. The themes `dark` and `light` name colours of the 256 that look alike in every terminal, so that each has a contrast of at least 4.5:1 with the backgrounds that
 * such terminals have; those of `ansi16` are what the terminal's own palette makes of them.
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

export const themes: Readonly<Record<ThemeName, Theme>> = {
	dark: {
		plain: {},
		quiet: {color: 'ansi256(245)'},
		strong: {bold: true},
		title: {color: 'ansi256(37)'},
		good: {color: 'ansi256(71)'},
		warn: {color: 'ansi256(172)'},
		bad: {color: 'ansi256(203)'},
		accent: {color: 'ansi256(44)'},
		selected: {bold: true},
		invalid: {color: 'ansi256(203)', underline: true},
		off: {color: 'ansi256(245)', strikethrough: true},
		code: {color: 'black', backgroundColor: 'whiteBright'},
	},
	light: {
		plain: {},
		quiet: {color: 'ansi256(241)'},
		strong: {bold: true},
		title: {color: 'ansi256(25)'},
		good: {color: 'ansi256(22)'},
		warn: {color: 'ansi256(94)'},
		bad: {color: 'ansi256(124)'},
		accent: {color: 'ansi256(26)'},
		selected: {bold: true},
		invalid: {color: 'ansi256(124)', underline: true},
		off: {color: 'ansi256(241)', strikethrough: true},
		code: {color: 'black', backgroundColor: 'whiteBright'},
	},
	ansi16: {
		plain: {},
		quiet: {},
		strong: {bold: true},
		title: {color: 'cyan'},
		good: {color: 'green'},
		warn: {color: 'yellow'},
		bad: {color: 'red'},
		accent: {color: 'cyan'},
		selected: {inverse: true},
		invalid: {color: 'red', underline: true},
		off: {strikethrough: true},
		code: {color: 'black', backgroundColor: 'whiteBright'},
	},
	mono: {
		plain: {},
		quiet: {},
		strong: {},
		title: {},
		good: {},
		warn: {},
		bad: {},
		accent: {},
		selected: {},
		invalid: {underline: true},
		off: {strikethrough: true},
		code: {},
	},
};

/** A theme for what a dialog lies over: all of it is there to be read, and none of it to be looked at first. */
const behind = ({quiet, plain}: Theme): Theme => ({
	plain: quiet,
	quiet,
	strong: quiet,
	title: quiet,
	good: quiet,
	warn: quiet,
	bad: quiet,
	accent: quiet,
	selected: quiet,
	invalid: quiet,
	off: {...quiet, strikethrough: true},
	code: plain,
});

/** The themes as they look behind a dialog. */
export const themesBehind: Readonly<Record<ThemeName, Theme>> = {
	dark: behind(themes.dark),
	light: behind(themes.light),
	ansi16: behind(themes.ansi16),
	mono: behind(themes.mono),
};

/** The theme for a terminal nobody has chosen one for. Some say in `COLORFGBG` which colours they have, the background last: `0;15`. */
export const usualTheme = (colors: string | undefined): ThemeName =>
	/;(?:7|15)$/.test(colors ?? '') ? 'light' : 'dark';
