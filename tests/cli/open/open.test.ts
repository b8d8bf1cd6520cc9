// @module-tag slow
import {chmod, mkdir, readFile} from 'node:fs/promises';
import {expect, test} from 'vitest';
import type {Context} from '../../../source/cli/console/context.ts';
import {changeHandler, desktopEntry} from '../../../source/cli/open/register.ts';
import {homePaths} from '../../../source/config/home-paths.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {temporaryHome, type TemporaryHome} from '../../helpers/temporary-home.ts';
import {command, serveControl} from '../command.ts';
import {openTerminal} from '../terminal.ts';

const link = `svc://mcp/install?name=crm&config=${Buffer.from('{"command":"npx"}').toString('base64url')}`;

/** A program that writes down what it was called with, one argument to a line, and ends with `code`. */
async function fakeProgram(home: TemporaryHome, name: string, code = 0): Promise<void> {
	await home.write(
		`bin/${name}`,
		`#!/bin/sh\nfor word in "$0" "$@"; do printf '%s\\n' "\${word##*/bin/}" >> '${home.file('called')}'; done\nexit ${code}\n`,
	);
	await chmod(home.file(`bin/${name}`), 0o755);
}

/** What the fake programs were called with. */
const called = async (home: TemporaryHome) => {
	const text = await readFile(home.file('called'), 'utf8').catch(() => '');
	return text.split('\n').slice(0, -1);
};

const onPath = (home: TemporaryHome) => `${home.file('bin')}:/usr/bin:/bin`;

test('without a terminal it installs nothing: the interface of the running gateway asks', async () => {
	await using home = await temporaryHome();
	const port = createFakePort();
	await using _ = await serveControl(home.path, port);

	const {code, stdout} = await command(['open', link], {home: home.path});

	expect(code).toBe(0);
	expect(stdout).toContain('open "svc" and press I');
	expect(port.calls).toEqual([{name: 'offerInstall', args: [{link}]}]);
	await expect(home.read('config.yaml')).rejects.toThrow('ENOENT');
});

test('without a gateway, a terminal of the desktop is started for it, with the link as one argument', async () => {
	await using home = await temporaryHome();
	await fakeProgram(home, 'x-terminal-emulator');

	const {code} = await command(['open', link], {
		home: home.path,
		environment: {PATH: onPath(home), DISPLAY: ':7'},
	});

	expect(code).toBe(0);
	await expect.poll(async () => called(home)).toContain(link);
	const words = await called(home);
	expect(words[1]).toBe('-e');
	expect(words.slice(-4)).toEqual(['open', '--hold', '--', link]);
});

test('nothing of a link means anything to a terminal that joins its words', async () => {
	await using home = await temporaryHome();
	await fakeProgram(home, 'x-terminal-emulator');
	const extra = `a $(id) \`id\` ; | > < ' " \\ * --yes \n\u202E`;

	await command(['open', `${link}&x=${extra}#${extra}`], {
		home: home.path,
		environment: {PATH: onPath(home), DISPLAY: ':7'},
	});

	await expect.poll(async () => (await called(home)).at(-1)).toMatch(/^svc:/);
	const words = await called(home);
	expect(words.at(-2)).toBe('--');
	expect(words.at(-1)).toMatch(/^svc:[\w.~%&=?:/+#-]+$/);
	expect(words.at(-1)).toContain(link);
});

test('with nobody to ask it says how to do it, and fails', async () => {
	await using home = await temporaryHome();
	for (const environment of [{}, {DISPLAY: ':7', PATH: '/nowhere'}]) {
		// oxlint-disable-next-line no-await-in-loop -- one home
		const {code, stderr} = await command(['open', link], {home: home.path, environment});
		expect(code).toBe(1);
		expect(stderr).toContain('(nobody_to_ask)');
	}
});

test.for([
	['https://crm.example/', 'invalid_link'],
	['svc://mcp/install?name=a', 'missing_config'],
	['--config=x', 'invalid_link'],
] as const)('only svc://mcp/install is opened: %s', async ([text, code]) => {
	await using home = await temporaryHome();
	const ran = await command(['open', '--', text], {home: home.path});
	expect(ran.code).toBe(1);
	expect(ran.stderr).toContain(`(${code})`);
});

test.for([[[]], [[link, '--register']], [[link, 'more']]] as const)(
	'what it is asked for must be one thing: %#',
	async ([args]) => {
		await using home = await temporaryHome();
		const {code} = await command(['open', ...args], {home: home.path});
		expect(code).toBe(2);
	},
);

/** `svc open --hold` on a terminal. */
const onTerminal = (home: TemporaryHome) =>
	openTerminal(['open', '--hold', '--', link], {
		home: home.path,
		clock: createFakeClock(),
		columns: 120,
		rows: 60,
	});

test.for([
	['crm', 'Installed crm', 0],
	['n', 'Not installed', 1],
] as const)(
	'in a terminal the person is asked, and can read what became of it: %#',
	async ([line, said, code]) => {
		await using home = await temporaryHome();
		const terminal = onTerminal(home);
		await terminal.waitFor('Type its name to install it: ');
		await terminal.type(line);
		await terminal.waitFor('Enter closes this window');
		expect(terminal.transcript()).toContain(said);
		await terminal.type('');
		expect(await terminal.exited).toBe(code);
	},
);

test('in a terminal a name that is taken is asked to be another, or nothing is done', async () => {
	await using home = await temporaryHome({
		'config.yaml': 'mcp_servers: {crm: {command: old, enabled: false}}\n',
	});
	const terminal = onTerminal(home);
	await terminal.waitFor('Another name (nothing: cancel):');
	await terminal.type('crm-2');
	await terminal.waitFor('Type its name to install it: ');
	await terminal.type('crm-2');
	await terminal.waitFor('Enter closes this window');
	expect(await home.read('config.yaml')).toMatch(/crm: \{command: old[^]*crm-2:/);
	await terminal.type('');
	await terminal.exited;
});

/** `Exec` taken apart as the desktop entry specification says: the text of the file, then its words, then field codes. */
function execWords(entry: string): readonly string[] {
	const line = /^Exec=(.*)$/m.exec(entry)?.[1] ?? '';
	const text = line.replaceAll(/\\(.)/g, (_, next: string) => (next === 's' ? ' ' : next));
	return [...text.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, quoted, plain = '']) =>
		(quoted === undefined ? plain : quoted.replaceAll(/\\(.)/g, '$1')).replaceAll('%%', '%'),
	);
}

test.each([
	['/usr/bin/node'],
	['/home/ann b/no de'],
	[String.raw`/tmp/a"b\c$d%u` + '`e'],
	["/tmp/it's"],
	['/tmp/ä%%'],
])('an entry of the desktop holds any path: %s', path => {
	const entry = desktopEntry({argv: [path, '/m.js', 'open', '--'], variables: {SVC_HOME: path}});
	expect(execWords(entry)).toEqual(['env', `SVC_HOME=${path}`, path, '/m.js', 'open', '--', '%u']);
});

test('"svc open --register" installs the handler for the desktop, "--unregister" takes it away', async () => {
	await using home = await temporaryHome();
	await fakeProgram(home, 'xdg-mime');
	await fakeProgram(home, 'update-desktop-database');
	const data = home.file('da ta');
	const environment = {PATH: onPath(home), XDG_DATA_HOME: data};

	const {code, stdout} = await command(['open', '--register'], {home: home.path, environment});

	expect(code).toBe(0);
	const file = `${data}/applications/svc-open.desktop`;
	expect(stdout).toContain(`Wrote ${file}`);
	const entry = await readFile(file, 'utf8');
	expect(entry).toMatch(/^MimeType=x-scheme-handler\/svc;$/m);
	expect(entry).toMatch(/^Terminal=true$/m);
	expect(execWords(entry).slice(-4)).toEqual(['open', '--hold', '--', '%u']);
	expect(execWords(entry)).toContain(`SVC_HOME=${home.path}`);
	expect(await called(home)).toEqual([
		'update-desktop-database',
		`${data}/applications`,
		'xdg-mime',
		'default',
		'svc-open.desktop',
		'x-scheme-handler/svc',
	]);

	await command(['open', '--unregister'], {home: home.path, environment});
	await expect(readFile(file, 'utf8')).rejects.toThrow('ENOENT');
});

test('what the desktop lacks is said', async () => {
	await using home = await temporaryHome();
	await mkdir(home.file('bin'));
	await fakeProgram(home, 'xdg-mime', 3);
	const {code, stdout} = await command(['open', '--register'], {
		home: home.path,
		environment: {PATH: home.file('bin')},
	});
	expect(code).toBe(0);
	expect(stdout).toContain('Failed: xdg-mime default');
	expect(stdout).toContain('Not done, since update-desktop-database is not installed');
});

test.for(['darwin', 'win32', 'aix'] as const)(
	'on %s it prints the steps with the command, and fails',
	async platform => {
		await using home = await temporaryHome();
		const environment = {SVC_HOME: home.path};
		let stdout = '';
		const context = {
			environment,
			paths: () => homePaths({environment}),
			stdout: {
				write(text: string) {
					stdout += text;
				},
			},
		} as unknown as Context;
		for (const change of ['register', 'unregister'] as const) {
			// oxlint-disable-next-line no-await-in-loop -- one after the other
			await expect(changeHandler(context, change, platform)).rejects.toMatchObject({
				code: 'handler_unavailable',
				message: expect.stringContaining(`on "${platform}"`),
			});
		}

		expect(stdout).toMatch(/SVC_HOME=.* open '--hold' '--'\n2\. Register that program/);
		expect(stdout).toContain('delete HKCU\\Software\\Classes\\svc');
	},
);
