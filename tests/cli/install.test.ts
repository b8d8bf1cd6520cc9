// @module-tag slow
import {readFile} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {temporaryHome, type TemporaryHome} from '../helpers/temporary-home.ts';
import {command, commandJson} from './command.ts';
import {openTerminal} from './terminal.ts';

const linkTo = (config: unknown, name = 'crm'): string =>
	`svc://mcp/install?name=${name}&config=${Buffer.from(JSON.stringify(config)).toString('base64url')}`;

const remote = linkTo({url: 'https://crm.example/mcp', trust: 'full', colour: 'red'});
const program = linkTo({command: 'npx', args: ['-y', '@acme/crm'], env: {A: '1'}});

const configIn = async (home: TemporaryHome) =>
	readFile(home.file('config.yaml'), 'utf8').catch(() => 'none');

test('"--dry-run" shows the name and the whole configuration, and installs nothing', async () => {
	await using home = await temporaryHome();

	const {code, stdout} = await command(['mcp', 'install', program, '--dry-run'], {home: home.path});

	expect(code).toBe(0);
	expect(stdout).toContain('Tool server "crm"');
	expect(stdout).toMatch(
		/runs this program on this machine[^]*0 {2}"npx"\n +1 {2}"-y"\n +2 {2}"@acme\/crm"/,
	);
	expect(stdout).toContain('"A": "1"');
	expect(stdout).toContain('"trust": "untrusted"');
	expect(await configIn(home)).toBe('none');
});

test('"without a terminal it needs --yes"', async () => {
	await using home = await temporaryHome();

	const {code, stderr} = await command(['mcp', 'install', remote], {home: home.path});

	expect(code).toBe(1);
	expect(stderr).toContain('confirmation_needed');
	expect(await configIn(home)).toBe('none');
});

test('"installs with trust: untrusted unless the person changes it", whatever the link says', async () => {
	await using home = await temporaryHome();

	const {code, stdout, stderr} = await command(['mcp', 'install', remote, '--yes'], {
		home: home.path,
	});

	expect({code, stdout}).toEqual({code: 0, stdout: 'Installed crm\nTry it: svc mcp test crm\n'});
	expect(stderr).toContain('The link says trust: "full", which is not taken over');
	expect(stderr).toContain('Left out, since no setting is called so: colour');
	expect(await configIn(home)).toContain(
		'  crm:\n    url: https://crm.example/mcp\n    trust: untrusted\n',
	);

	await command(['mcp', 'install', remote, '--yes', '--name', 'mine', '--trust', 'full'], {
		home: home.path,
	});
	expect(await configIn(home)).toContain(
		'  mine:\n    url: https://crm.example/mcp\n    trust: full\n',
	);
});

test('"an existing name is refused", another one is offered, and comments stay', async () => {
	await using home = await temporaryHome();
	await home.write('config.yaml', 'mcp_servers:\n  # ours\n  crm: {command: old}\n');

	const refused = await command(['mcp', 'install', remote, '--yes'], {home: home.path});

	expect(refused.code).toBe(1);
	expect(refused.stderr).toContain('--name crm-2 (server_exists)');
	expect(await configIn(home)).toBe('mcp_servers:\n  # ours\n  crm: {command: old}\n');

	await command(['mcp', 'install', remote, '--yes', '--name', 'crm-2'], {home: home.path});
	expect(await configIn(home)).toMatch(/# ours\n {2}crm: \{command: old\}\n {2}crm-2:\n/);
});

test.for([
	[['svc://mcp/install?name=a%2Fb&config=e30'], 'invalid_name'],
	[['svc://mcp/install?name=a'], 'missing_config'],
	[[linkTo({url: 'ftp://a'})], 'invalid_url'],
	[[linkTo({url: 'https://a.example', timeout: 'soon'})], 'server_invalid'],
	[[remote, '--name', 'a b'], 'invalid_name'],
	[['https://crm.example'], 'invalid_link'],
] as const)('what is no link is refused: %#', async ([args, code]) => {
	await using home = await temporaryHome();

	const ran = await command(['mcp', 'install', ...args, '--yes'], {home: home.path});

	expect(ran.code).toBe(1);
	expect(ran.stderr).toContain(`(${code})`);
	expect(await configIn(home)).toBe('none');
});

test('"--json" is the review with what became of it', async () => {
	await using home = await temporaryHome();

	const planned = await commandJson(['mcp', 'install', program, '--dry-run'], {home: home.path});
	expect(planned).toMatchObject({
		name: 'crm',
		kind: 'program',
		argv: ['npx', '-y', '@acme/crm'],
		exists: false,
		installed: false,
	});

	const done = await commandJson(['mcp', 'install', program, '--yes'], {home: home.path});
	expect(done).toEqual({...planned, installed: true});
});

test('nothing of a link can hide, or move the cursor', async () => {
	await using home = await temporaryHome();
	const link = linkTo({
		command: 'a\u202eb',
		args: ['\u001b[2J', 'x\u200b\u2066y\u{e0041}', '--t=${TOKEN}', 'l\u0000'.slice(0, 1)],
		env: {'E\u0085': '\u009b1m'},
	});

	const {stdout} = await command(['mcp', 'install', link, '--dry-run'], {home: home.path});

	expect(stdout).toContain(String.raw`"a\u202eb"`);
	expect(stdout).toContain(String.raw`"x\u200b\u2066y\udb40\udc41"`);
	expect(stdout).toContain(String.raw`"\u001b[2J"`);
	expect(stdout).toContain(String.raw`"E\u0085": "\u009b1m"`);
	expect(stdout).toContain(
		'Gives the value of ${TOKEN} on this machine to the program (in args[2])',
	);
	// oxlint-disable-next-line no-control-regex -- they are what must not be there
	expect(stdout.replaceAll('\n', '')).not.toMatch(/[\0-\x1f\x7f-\x9f\p{Cf}]/u);
});

/** `svc mcp install` on a terminal. */
async function onTerminal(link: string, rows = 60) {
	const home = await temporaryHome();
	const terminal = openTerminal(['mcp', 'install', link], {
		home: home.path,
		clock: createFakeClock(),
		columns: 120,
		rows,
	});
	return {home, terminal, [Symbol.asyncDispose]: async () => home[Symbol.asyncDispose]()};
}

test.for([
	['crm', 0, 'Installed crm'],
	['y', 1, 'Not installed: its name is crm'],
	['', 1, 'Not installed'],
] as const)('on a terminal the name of a program is typed: "%s"', async ([line, code, said]) => {
	await using setup = await onTerminal(program);
	const {home, terminal} = setup;
	await terminal.waitFor('let svc run npx on this machine?');
	await terminal.waitFor('Type its name to install it: ');
	await terminal.type(line);
	expect(await terminal.exited).toBe(code);
	expect(terminal.transcript()).toContain(said);
	expect((await configIn(home)).includes('npx')).toBe(code === 0);
});

test('Ctrl-C at the question installs nothing and exits 130', async () => {
	await using setup = await onTerminal(program);
	await setup.terminal.waitFor('Type its name to install it: ');
	setup.terminal.send('\u0003');
	expect(await setup.terminal.exited).toBe(130);
	expect(await configIn(setup.home)).toBe('none');
});

test('on a terminal a link is read page by page, and a yes that was typed before it was read installs nothing', async () => {
	await using setup = await onTerminal(remote, 12);
	const {home, terminal} = setup;
	await terminal.waitFor('reads on, q leaves');
	terminal.send('y\r');
	await terminal.waitFor('Not everything was read yet');
	for (;;) {
		// oxlint-disable-next-line no-await-in-loop -- one page after the other
		await terminal.waitFor(/reads on, q leaves |\[y\/N\] $/);
		if (terminal.transcript().endsWith('[y/N] ')) {
			break;
		}

		// oxlint-disable-next-line no-await-in-loop
		await terminal.type('');
	}

	terminal.send('y\r');
	await terminal.waitFor('Too early');
	expect(await configIn(home)).toBe('none');
	await terminal.waitFor('[y/N]');
	await terminal.type('y');
	expect(await terminal.exited).toBe(0);
	expect(await configIn(home)).toContain('crm.example');
});
