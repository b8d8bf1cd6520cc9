/** The target named by the first bytes of a tunnel. */
export type Hello =
	/** More bytes are needed. */
	| {readonly kind: 'open'}
	| {readonly kind: 'not-tls'}
	| {readonly kind: 'malformed'}
	/** A TLS connection's first message. */
	| {
			readonly kind: 'hello';
			/** In lower case; `undefined` if it names no server. */
			readonly serverName: string | undefined;
			/** Whether it contains an encrypted hello, which may name another server. @see RFC 9849 */
			readonly isEncrypted: boolean;
	  };

/** More than a hello with large keys and a session ticket, which has about 2 kB. */
const maxHelloBytes = 16_384;

const [handshake, clientHello, serverNameExtension, encryptedHelloExtension] = [22, 1, 0, 0xfe_0d];

/** Parses the ClientHello at the beginning of `bytes`, even if split over several records. @see RFC 8446 §4.1.2, 5.1; RFC 6066 §3 */
export function readHello(bytes: Buffer): Hello {
	if (bytes.length === 0) {
		return {kind: 'open'};
	}

	if (bytes[0] !== handshake || (bytes.length > 1 && bytes[1] !== 3)) {
		return {kind: 'not-tls'};
	}

	try {
		const message = messageIn(bytes);
		return message === undefined ? {kind: 'open'} : helloOf(message);
	} catch {
		return {kind: 'malformed'};
	}
}

/** The content of the first handshake message; `undefined` if it is incomplete. @throws RangeError when it is no ClientHello */
function messageIn(bytes: Buffer): Buffer | undefined {
	must(bytes.length <= 2 * maxHelloBytes);
	const fragments: Buffer[] = [];
	// Other records may follow the message: early data does.
	for (let at = 0; at + 5 <= bytes.length;) {
		const length = bytes.readUInt16BE(at + 3);
		must(bytes[at] === handshake && bytes[at + 1] === 3 && length > 0);
		fragments.push(bytes.subarray(at + 5, at + 5 + length));
		at += 5 + length;
		const whole = Buffer.concat(fragments);
		must(whole.length === 0 || whole[0] === clientHello);
		const end = whole.length < 4 ? Infinity : 4 + whole.readUIntBE(1, 3);
		must(end === Infinity || end <= maxHelloBytes);
		if (whole.length >= end) {
			return whole.subarray(4, end);
		}
	}

	return undefined;
}

function helloOf(message: Buffer): Hello {
	// Skips version and random, then session, cipher suites and compression methods.
	const fields = reader(message.subarray(34));
	fields.list(1);
	fields.list(2);
	fields.list(1);
	const extensions = reader(fields.isAtEnd() ? Buffer.alloc(0) : fields.list(2));
	must(fields.isAtEnd());
	const names: string[] = [];
	let isEncrypted = false;
	while (!extensions.isAtEnd()) {
		const type = extensions.number(2);
		const content = extensions.list(2);
		isEncrypted ||= type === encryptedHelloExtension;
		if (type === serverNameExtension) {
			names.push(...namesIn(content));
		}
	}

	// With several names, servers differ in which one counts.
	must(names.length <= 1);
	return {kind: 'hello', serverName: names[0], isEncrypted};
}

function namesIn(content: Buffer): readonly string[] {
	const extension = reader(content);
	const list = reader(extension.list(2));
	must(extension.isAtEnd());
	const names: string[] = [];
	do {
		must(list.number(1) === 0);
		names.push(list.list(2).toString('latin1').toLowerCase());
	} while (!list.isAtEnd());
	return names;
}

/** Reads numbers and length-prefixed lists. Throws a RangeError at the end of `bytes`. */
function reader(bytes: Buffer) {
	let at = 0;
	const number = (size: number) => {
		const value = bytes.readUIntBE(at, size);
		at += size;
		return value;
	};

	return {
		number,
		list(size: number) {
			const length = number(size);
			must(at + length <= bytes.length);
			at += length;
			return bytes.subarray(at - length, at);
		},
		isAtEnd: () => at === bytes.length,
	};
}

function must(isTrue: boolean): void {
	if (!isTrue) {
		throw new RangeError('not a ClientHello');
	}
}
