import {variable, type Environment} from './environment.ts';

const reference = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Any `${...}`: in a tool server's entry each of them is looked up. @see manual/tool-servers.md#variable-references */
export const anyReference = /\$\{([^{}]+)\}/g;

/** Whether a text of a tool server's entry is only known when it is expanded. */
export const hasReference = (text: string): boolean => text.search(anyReference) !== -1;

/** The references in a text, as they are written. */
export const referencesIn = (text: string): readonly string[] =>
	[...text.matchAll(reference)].map(([placeholder]) => placeholder);

/**
 * `text` with `${VAR}` and `${env:VAR}` replaced, in one pass: what a variable holds is not looked at again. `unset` names the
 * variables that do not exist, each once; then `text` keeps their placeholders. `isMalformed`: it also has a `${` that begins no such reference, and would be taken literally.
 *
 * @see manual/tool-servers.md#variable-references
 */
export function resolveReferences(
	text: string,
	environment: Environment,
): {readonly text: string; readonly unset: readonly string[]; readonly isMalformed: boolean} {
	const unset = new Set<string>();
	const resolved = text.replaceAll(reference, (placeholder, name: string) => {
		const value = variable(environment, name);
		if (value === undefined) {
			unset.add(name);
		}

		return value ?? placeholder;
	});
	// What stands around a reference must not seem to be one.
	const around = text.replaceAll(reference, ' ');
	return {text: resolved, unset: [...unset], isMalformed: around.includes('${')};
}

/** The same for a URL: what a variable holds is percent-encoded where it is a part of the URL, so that a password may have any character; one that is all of the text is the URL itself. */
export function resolveInUrl(
	text: string,
	environment: Environment,
): ReturnType<typeof resolveReferences> {
	const [whole] = referencesIn(text);
	return whole === text.trim()
		? resolveReferences(text.trim(), environment)
		: resolveReferences(text, encoded(environment));
}

const encoded = (environment: Environment): Environment =>
	Object.fromEntries(
		Object.entries(environment).map(([name, value]) => [name, encodeURIComponent(value)]),
	);
