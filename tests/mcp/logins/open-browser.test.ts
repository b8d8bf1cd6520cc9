import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {openInBrowser} from '../../../source/mcp/logins/open-browser.ts';
import {tunnelTo} from '../../../source/mcp/logins/tunnel.ts';

const hostile = 'https://as.example/auth?x=$(touch%20pwned)&y="calc;`id`\'';

test.for([
	['at the end', ''],
	['in the place of %s', ' %s last'],
] as const)('$BROWSER gets the address as one argument, without a shell: %s', async ([, rest]) => {
	const folder = await mkdtemp(join(tmpdir(), 'svc-'));
	const out = join(folder, 'out');
	const script = `require('fs').writeFileSync('${out}', JSON.stringify(process.argv.slice(1)))`;
	const environment = {BROWSER: `'${process.execPath}' -e "${script}" --${rest}`};

	expect(await openInBrowser(new URL(hostile), {environment})).toBe(true);

	await expect
		.poll(async () => JSON.parse(await readFile(out, 'utf8')))
		.toEqual([new URL(hostile).href, ...(rest === '' ? [] : ['last'])]);
	await rm(folder, {recursive: true});
});

test.for([
	['a page of no browser', 'javascript:alert(1)', {BROWSER: 'true'}],
	['a file', 'file:///etc/passwd', {BROWSER: 'true'}],
	['over SSH', 'https://as.example/', {BROWSER: 'true', SSH_TTY: '/dev/pts/1'}],
	['without a screen', 'https://as.example/', {}],
	[
		'an address that is too long for a program',
		`https://as.example/${'a'.repeat(3_000_000)}`,
		{BROWSER: 'true'},
	],
	['a program that is not there', 'https://as.example/', {BROWSER: '/nowhere/browser'}],
] as const)('nothing is started for %s', async ([, url, environment]) => {
	expect(await openInBrowser(new URL(url), {environment, platform: 'linux'})).toBe(false);
});

test.for([
	['10.0.0.5 51234 192.0.2.7 22', {USER: 'ann'}, 'ssh -N -L 27890:127.0.0.1:27890 ann@192.0.2.7'],
	['fd00::5 51234 fd00::7 2222', {}, 'ssh -N -L 27890:127.0.0.1:27890 -p 2222 fd00::7'],
	['1 2 $(id) 22', {SSH_TTY: 'x'}, 'ssh -N -L 27890:127.0.0.1:27890 <this machine>'],
	[
		'10.0.0.5 1 192.0.2.7 22',
		{USER: '-oProxyCommand=x'},
		'ssh -N -L 27890:127.0.0.1:27890 192.0.2.7',
	],
	['', {}, undefined],
] as const)('the line for a tunnel: %s', ([connection, environment, expected]) => {
	expect(tunnelTo(27_890, {SSH_CONNECTION: connection, ...environment})).toBe(expected);
});
