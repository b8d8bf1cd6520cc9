/** A name as one word of a shell. */
export const asWord = (name: string): string =>
	/^[\w.@:/][\w.@:/-]*$/.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`;

/** The command with which a person logs in to a tool server of a profile. */
export const loginCommand = ({
	profile,
	name,
}: {
	readonly profile: string;
	readonly name: string;
}): string => `svc ${profile === 'default' ? '' : `-p ${profile} `}mcp login ${asWord(name)}`;

/** A text as one word of a shell, in quotes. With controls in it, `$'…'` spells them out so that nothing acts while it is pasted. */
export function quotedWord(text: string): string {
	// oxlint-disable-next-line no-control-regex
	if (!/[\u0000-\u0008\u000A-\u001F\u007F-\u009F]/.test(text)) {
		return `'${text.replaceAll("'", String.raw`'\''`)}'`;
	}

	const spelled = text
		.replaceAll('\\', String.raw`\\`)
		.replaceAll("'", String.raw`\'`)
		.replaceAll(
			// oxlint-disable-next-line no-control-regex
			/[\u0000-\u001F\u007F-\u009F]/g,
			character => String.raw`\u` + character.charCodeAt(0).toString(16).padStart(4, '0'),
		);
	return `$'${spelled}'`;
}
