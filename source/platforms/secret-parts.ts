/** Parts of a path that are shorter name things; longer ones may be tokens. */
export const minTokenLength = 16;

/** What in an address may be a token. */
export function secretPartsOf(url: string): readonly string[] {
	const {pathname, search, searchParams, username, password} = new URL(url);
	const ofPath = pathname
		.split('/')
		.flatMap(part => [part, decoded(part)])
		.filter(({length}) => length >= minTokenLength);
	// As they are meant, and as they stand there.
	const ofQuery = [...searchParams.values(), ...search.split(/[?&][^=&]*=?/)];
	return [...ofPath, ...ofQuery, username, password].filter(text => text !== '');
}

function decoded(part: string): string {
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}
