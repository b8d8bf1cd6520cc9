/** Letters, digits and what programs join them with: such a name cannot look like more than a name. */
const plainName = /^[\w.:/-]+$/;

/** A stranger's name within a sentence of ours: in quotation marks, as JSON has them, unless it is a plain word. Not cleaned for a terminal. */
export const quotedName = (name: string): string =>
	plainName.test(name) ? name : JSON.stringify(name);
