/** Shorter parts of a path are names; longer ones may be tokens. */
export const minTokenLength = 16;

/** Names of query parameters whose short values are secrets; other short values are versions and names, which messages may show. */
const namesSecret = /sig|key|token|secret|pass|code|auth/i;

/** The parts of a URL that may be tokens. */
export function secretPartsOf(url: string): readonly string[] {
	const {pathname, search, username, password} = new URL(url);
	const ofPath = pathname
		.split('/')
		.flatMap(part => [part, decoded(part)])
		.filter(({length}) => length >= minTokenLength);
	// Both decoded and as written.
	const ofQuery = search
		.slice(1)
		.split('&')
		.map(part => part.split(/=(.*)/s, 2))
		.filter(([name = '', value = '']) => namesSecret.test(name) || value.length >= minTokenLength)
		.flatMap(([, value = '']) => [value, decoded(value.replaceAll('+', ' '))]);
	return [...ofPath, ...ofQuery, username, password].filter(text => text !== '');
}

function decoded(part: string): string {
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}
