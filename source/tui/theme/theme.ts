/** The part that a text plays; a theme says how it looks. */
export type Tone =
	| 'plain'
	| 'quiet'
	| 'strong'
	| 'title'
	| 'good'
	| 'warn'
	| 'bad'
	| 'accent'
	| 'selected'
	| 'invalid'
	/** A QR code: dark on light, whatever the terminal's own colours are. */
	| 'code';

export type ThemeName = 'dark' | 'light' | 'ansi16' | 'mono';

/** What `<T>` is told. Only the names of the sixteen colours: the terminal's own palette decides what they are. */
export type Look = {
	readonly color?: string;
	readonly backgroundColor?: string;
	readonly bold?: boolean;
	readonly dimColor?: boolean;
	readonly inverse?: boolean;
	readonly underline?: boolean;
};

export type Theme = Readonly<Record<Tone, Look>>;

export const themeNames: readonly ThemeName[] = ['dark', 'light', 'ansi16', 'mono'];

export const themes: Readonly<Record<ThemeName, Theme>> = {
	dark: {
		plain: {},
		quiet: {color: 'gray'},
		strong: {bold: true},
		title: {color: 'cyan'},
		good: {color: 'green'},
		warn: {color: 'yellow'},
		bad: {color: 'redBright'},
		accent: {color: 'cyanBright'},
		selected: {bold: true},
		invalid: {color: 'red', underline: true},
		code: {color: 'black', backgroundColor: 'whiteBright'},
	},
	light: {
		plain: {},
		quiet: {color: 'gray'},
		strong: {bold: true},
		title: {color: 'blue'},
		good: {color: 'green'},
		warn: {color: 'magenta'},
		bad: {color: 'red'},
		accent: {color: 'blue'},
		selected: {bold: true},
		invalid: {color: 'red', underline: true},
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
		code: {},
	},
};
