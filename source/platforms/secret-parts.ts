/** Parts of a path that are shorter are names; longer ones may be tokens. */
export const minTokenLength = 16;

/** Names of short values of a query that are secrets; other short values are versions and names, which texts may hold. */
const namesSecret = /sig|key|token|secret|pass|code|auth/i;

/** The parts of an address that may be tokens. */
export function secretPartsOf(url: string): readonly string[] {
	const {pathname, search, username, password} = new URL(url);
	const ofPath = pathname
		.split('/')
		.flatMap(part => [part, decoded(part)])
		.filter(({length}) => length >= minTokenLength);
	// Decoded, and as written.
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
