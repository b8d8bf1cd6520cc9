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
