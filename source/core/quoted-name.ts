/** Letters, digits and what joins them, as programs name things: it cannot look like more than a name, nor end where it does not. */
const plainName = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

/**
 * A stranger's name (of an argument, a field of a payload, a header, a tool, an event) as it stands in a text of ours: itself when it is a plain word of at
 * most 64 characters, else in quotation marks, as JSON has them. Not cleaned for a terminal.
 */
export const quotedName = (name: string): string =>
	plainName.test(name) ? name : JSON.stringify(name);

/** Words with one blank between them. */
const plainTitle = /^(?=.{1,64}$)[\p{L}\p{N}](?: ?[\p{L}\p{M}\p{N}_.:'’/&+?!()-])*$/u;

/** The same for what a stranger calls something for people: a few words, too, are plain. */
export const quotedTitle = (title: string): string =>
	plainTitle.test(title) ? title : JSON.stringify(title);

/** A path without a blank at an end, or anything else that is not seen. */
const plainPath = /^(?! )[\p{L}\p{N}\p{M}/ _.@+,=~()[\]-]*(?<! )$/u;

/** The same for a path. */
export const quotedPath = (path: string): string =>
	plainPath.test(path) ? path : JSON.stringify(path);
