/** A page must name its encoding within these bytes. @see HTML §13.2.3.2 */
const prescanBytes = 4096;

const metaCharset = /<meta\s[^>]{0,500}?charset\s{0,8}=\s{0,8}["']?\s{0,8}([\w:.+-]{1,40})/i;

/** Byte order marks. */
const marks: ReadonlyArray<readonly [mark: string, label: string]> = [
	['\u00ef\u00bb\u00bf', 'utf-8'],
	['\u00ff\u00fe', 'utf-16le'],
	['\u00fe\u00ff', 'utf-16be'],
];

/**
 * Decodes a page by its byte order mark, else by the answer's header, else by the page's own declaration, else as UTF-8. Unknown labels are ignored; invalid bytes
 * become U+FFFD.
 */
export function decodePage(body: Uint8Array, charset: string | undefined): string {
	const head = Buffer.from(body.subarray(0, prescanBytes)).toString('latin1');
	const [, marked] = marks.find(([mark]) => head.startsWith(mark)) ?? [];
	// A declaration that was readable as ASCII cannot be in UTF-16.
	const named = metaCharset.exec(head)?.[1]?.replace(/^utf-16.*|^x-user-defined$/i, 'utf-8');
	for (const label of [marked, charset, named]) {
		try {
			if (label !== undefined) {
				return new TextDecoder(label).decode(body);
			}
		} catch {
			// Try the next label.
		}
	}

	return new TextDecoder().decode(body);
}
