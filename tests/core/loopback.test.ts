import {expect, test} from 'vitest';
import {isLoopbackHost, mayServeInsecure} from '../../source/core/hosts.ts';

test.for(['localhost', 'LocalHost', '127.0.0.1', '127.0.0.2', '127.255.255.255', '::1', '[::1]'])(
	'%s is this machine',
	host => {
		expect(isLoopbackHost(host)).toBe(true);
	},
);

test.for([
	'',
	'0.0.0.0',
	'::',
	'[::]',
	'10.0.0.1',
	'128.0.0.1',
	'127.0.0',
	'127.0.0.256',
	'127.0.0.1.example.com',
	'127.evil.example',
	'1127.0.0.1',
	'localhost.example.com',
	'notlocalhost',
	'[127.0.0.1]',
	'[localhost]',
	'::1%eth0',
	'::11',
	'localhost\n',
])('%j is not', host => {
	expect(isLoopbackHost(host)).toBe(false);
});

test('"`INSECURE_NO_AUTH` is accepted only when the server is bound to a loopback host (`127.0.0.1`, `localhost`, `::1`)"', () => {
	expect(['127.0.0.1', 'localhost', '::1'].every(mayServeInsecure)).toBe(true);
	expect(['127.0.0.2', '[::1]', 'LOCALHOST', '0.0.0.0', ''].some(mayServeInsecure)).toBe(false);
});
