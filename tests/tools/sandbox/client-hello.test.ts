import {once} from 'node:events';
import {Duplex} from 'node:stream';
import {connect} from 'node:tls';
import {assert, constantFrom, integer, property, uint8Array} from 'fast-check';
import {expect, test} from 'vitest';
import {readHello} from '../../../source/tools/sandbox/client-hello.ts';
import {refusalOfHello} from '../../../source/tools/sandbox/proxy-tunnel.ts';
import {propertyRuns} from '../../helpers/property-runs.ts';

const sized = (size: number, ...parts: readonly Uint8Array[]): Buffer => {
	const content = Buffer.concat(parts);
	const length = Buffer.alloc(size);
	length.writeUIntBE(content.length, 0, size);
	return Buffer.concat([length, content]);
};

const extension = (type: number, content: Uint8Array) =>
	Buffer.concat([Buffer.from([type >> 8, type & 255]), sized(2, content)]);

const entry = (name: string, type = 0) =>
	Buffer.concat([Buffer.from([type]), sized(2, Buffer.from(name, 'latin1'))]);

const serverNames = (...entries: readonly Buffer[]) => extension(0, sized(2, ...entries));

const message = (...extensions: readonly Buffer[]): Buffer =>
	Buffer.concat([
		Buffer.from([1]),
		sized(
			3,
			Buffer.from([3, 3]),
			Buffer.alloc(32, 7),
			sized(1, Buffer.alloc(32, 8)),
			sized(2, Buffer.from([0x13, 1])),
			sized(1, Buffer.from([0])),
			sized(2, ...extensions),
		),
	]);

const record = (content: Uint8Array, type = 22) =>
	Buffer.concat([Buffer.from([type, 3, 1]), sized(2, content)]);

const hello = (...extensions: readonly Buffer[]) => record(message(...extensions));

const plain = hello(serverNames(entry('allowed.example')), extension(43, Buffer.from([2, 3, 4])));

const refusal = (bytes: Buffer, port = 443, host = 'allowed.example') => {
	const read = readHello(bytes);
	return read.kind === 'open' ? 'open' : refusalOfHello(read, {host, port});
};

test.for([
	['the name', plain, undefined],
	['the name in upper case', hello(serverNames(entry('Allowed.EXAMPLE'))), undefined],
	['the name with a dot at its end', hello(serverNames(entry('allowed.example.'))), undefined],
	[
		'a message in records of 7 bytes',
		Buffer.concat(
			Array.from({length: Math.ceil(plain.subarray(5).length / 7)}, (_, index) =>
				record(plain.subarray(5).subarray(index * 7, index * 7 + 7)),
			),
		),
		undefined,
	],
	[
		'early data behind it',
		Buffer.concat([plain, record(Buffer.from([1]), 20), record(Buffer.alloc(9), 23)]),
		undefined,
	],
	[
		'another name',
		hello(serverNames(entry('evil.example'))),
		/names another server, "evil\.example"/,
	],
	['a name with NUL', hello(serverNames(entry('allowed.example\0.evil'))), /names another server/],
	[
		'a name with an escape sequence',
		hello(serverNames(entry('\x1b[31m'))),
		/names another server, "␛\[31m"/,
	],
	['a longer name', hello(serverNames(entry('x.allowed.example'))), /names another server/],
	['no name', hello(extension(43, Buffer.from([2, 3, 4]))), /names no server/],
	[
		'two names',
		hello(serverNames(entry('allowed.example'), entry('evil.example'))),
		/cannot be read/,
	],
	[
		'two extensions with names',
		hello(serverNames(entry('allowed.example')), serverNames(entry('evil.example'))),
		/cannot be read/,
	],
	['a name of another type', hello(serverNames(entry('allowed.example', 1))), /cannot be read/],
	[
		'an encrypted hello',
		hello(serverNames(entry('allowed.example')), extension(0xfe_0d, Buffer.from([0]))),
		/is encrypted/,
	],
	[
		'bytes behind the list of names',
		hello(extension(0, Buffer.concat([sized(2, entry('allowed.example')), Buffer.from([1])]))),
		/cannot be read/,
	],
	['another message first', record(Buffer.from([2, 0, 0, 0])), /cannot be read/],
	['an empty record', record(Buffer.alloc(0)), /cannot be read/],
	['a message without an end', record(Buffer.from([1, 255, 255, 255])), /cannot be read/],
	['HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n'), /only TLS/],
	['SSL 2', Buffer.from([0x80, 0x2e, 1, 3, 1]), /only TLS/],
	['half of it', plain.subarray(0, 40), 'open'],
] as const)('a ClientHello with %s', ([, bytes, expected]) => {
	const found = refusal(bytes);

	const isExpected = expected instanceof RegExp ? expected.test(`${found}`) : found === expected;

	expect({found, isExpected}).toEqual({found, isExpected: true});
});

test('to an address goes only a ClientHello without a name', () => {
	expect(refusal(hello(), 443, '93.184.216.34')).toBeUndefined();
	expect(refusal(plain, 443, '93.184.216.34')).toMatch(/names another server/);
});

test('on another port what is not TLS passes, and TLS is looked at', () => {
	expect(refusal(Buffer.from('SSH-2.0-x\r\n'), 22)).toBeUndefined();
	expect(refusal(hello(serverNames(entry('evil.example'))), 8443)).toMatch(/names another server/);
});

/** What Node sends first. */
async function realHello(servername: string): Promise<Buffer> {
	const sent = Promise.withResolvers<Buffer>();
	const wire = new Duplex({
		read() {},
		write(chunk: Buffer, _, done) {
			sent.resolve(chunk);
			done();
		},
	});
	const socket = connect({socket: wire, servername});
	socket.on('error', () => {});
	const first = await sent.promise;
	socket.destroy();
	await once(socket, 'close');
	return first;
}

test('what a real client sends is read, and every beginning of it is open', async () => {
	const bytes = await realHello('allowed.example');

	expect(readHello(bytes)).toEqual({
		kind: 'hello',
		serverName: 'allowed.example',
		isEncrypted: false,
	});
	expect(
		Array.from(
			{length: bytes.length},
			(_, length) => readHello(bytes.subarray(0, length)).kind,
		).filter(kind => kind !== 'open'),
	).toEqual([]);
});

test('no bytes make reading fail', () => {
	assert(
		property(
			constantFrom(plain, Buffer.alloc(0)),
			integer({min: 0, max: 200}),
			uint8Array({maxLength: 40}),
			(base, at, noise) => {
				const bytes = Buffer.concat([
					base.subarray(0, at),
					noise,
					base.subarray(at + noise.length),
				]);
				expect(['open', 'not-tls', 'malformed', 'hello']).toContain(readHello(bytes).kind);
			},
		),
		{numRuns: propertyRuns(4000)},
	);
});
