/** The key of an `Authorization` header. @see RFC 6750 §2.1 */
export const bearerOf = (authorization: string | undefined): string | undefined =>
	/^bearer +(?<key>\S+) *$/i.exec(authorization ?? '')?.groups?.['key'];
