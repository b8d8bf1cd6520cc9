import {existsSync} from 'node:fs';
import {chmod, readdir, readFile, stat} from 'node:fs/promises';
import {expect, test} from 'vitest';
import type {StoredDelivery} from '../../../source/core/delivery.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {makeDelivery} from '../../helpers/make.ts';
import {until} from '../../helpers/processes.ts';
import {startSvc} from '../../helpers/svc.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {command, serveControl, type Ran} from '../command.ts';

const stored = (overrides: Partial<StoredDelivery> = {}): StoredDelivery => ({
	...makeDelivery({id: 'abcd12345', route: 'gh'}),
	headers: {'content-type': 'application/json', 'x-github-event': 'push'},
	body: Buffer.from('{"number":12345678901234567890,"price":1.10,"ref":"main"}'),
	...overrides,
});

/** A gateway that knows one delivery; an editor made of shell lines that get the file as `$1`. */
async function open(delivery = stored(), editor = 'true') {
	const stack = new AsyncDisposableStack();
	const home = stack.use(
		await temporaryHome({
			'editor.sh': `#!/bin/sh\necho "$1" > "$(dirname "$0")/edited"\n${editor}\n`,
		}),
	);
	await chmod(home.file('editor.sh'), 0o755);
	const port = createFakePort();
	port.deliveries.set(delivery.id, delivery);
	port.answers.plan = {route: 'gh', effects: ['starts an agent run'], needsConfirmation: false};
	stack.use(await serveControl(home.path, port));
	return {
		home,
		port,
		replay: async (...args: readonly string[]): Promise<Ran> =>
			command(['deliveries', 'replay', delivery.id, ...args], {
				home: home.path,
				environment: {EDITOR: `sh ${home.file('editor.sh')}`},
			}),
		[Symbol.asyncDispose]: () => stack.disposeAsync(),
	};
}

test('a replay says first what it will do, then does it and prints the answer', async () => {
	await using setup = await open();
	expect(await setup.replay()).toEqual({
		code: 0,
		stdout: '202 {"status":"accepted"}\n',
		stderr: 'Replay of abcd12345 to "gh": starts an agent run\n',
	});
	expect(setup.port.calls).toEqual([{name: 'replay', args: ['abcd12345', {}]}]);
});

test('what reaches others is not done unless somebody agrees', async () => {
	await using setup = await open();
	setup.port.answers.plan = {
		route: 'other',
		effects: ['posts a comment to acme/api#7'],
		needsConfirmation: true,
	};
	const refused = await setup.replay('--to', 'other');
	expect(refused).toMatchObject({code: 1, stdout: ''});
	expect(refused.stderr).toContain('acme/api#7');
	expect(refused.stderr).toContain('--yes');
	expect(refused.stderr).toContain('(confirmation_needed)');
	expect(setup.port.calls).toEqual([]);
	expect(await setup.replay('--to', 'other', '--yes')).toMatchObject({code: 0});
	expect(setup.port.calls).toEqual([{name: 'replay', args: ['abcd12345', {route: 'other'}]}]);
});

test('--dry-run only says what it would do', async () => {
	await using setup = await open();
	expect(await setup.replay('--dry-run')).toMatchObject({
		code: 0,
		stdout: 'Replay of abcd12345 to "gh": starts an agent run\n',
	});
	const {stdout} = await setup.replay('--dry-run', '--json');
	expect(JSON.parse(stdout)).toMatchObject({plan: {effects: ['starts an agent run']}});
	expect(setup.port.calls).toEqual([]);
});

test('an edited body is sent as it was saved; numbers that were left alone are what they were', async () => {
	await using setup = await open(stored(), `sed -i 's/main/edited/' "$1"`);
	expect((await setup.replay('--edit')).code).toBe(0);
	expect(setup.port.calls).toEqual([
		{
			name: 'replay',
			args: [
				'abcd12345',
				{
					body: '{\n  "number": 12345678901234567890,\n  "price": 1.10,\n  "ref": "edited"\n}',
				},
			],
		},
	]);
	// The file is gone with its folder.
	expect(await readdir(setup.home.file('cache/open'))).toEqual([]);
});

test('the file that is edited is private', async () => {
	await using setup = await open(stored(), `stat -c '%a %n' "$1" > "$(dirname "$0")/mode"`);
	await setup.replay('--edit');
	expect(await setup.home.read('mode')).toMatch(/^600 .*\.json$/m);
});

test.for([
	['left as it was', 'true', 'as it was'],
	['left empty', ': > "$1"', 'empty'],
	['left by an editor that failed', 'exit 3', '(program_failed)'],
] as const)('nothing is replayed when the text was %s', async ([, editor, words]) => {
	await using setup = await open(stored(), editor);
	const {code, stderr} = await setup.replay('--edit');
	expect(code).toBe(1);
	expect(stderr).toContain(words);
	expect(setup.port.calls).toEqual([]);
});

test('"invalid JSON is refused and the text kept"', async () => {
	await using setup = await open(stored(), `printf '{\\n  "ref": main\\n}' > "$1"`);
	const {code, stderr} = await setup.replay('--edit');
	expect(code).toBe(1);
	expect(stderr).toContain('Malformed JSON body (Unexpected token');
	expect(stderr).toContain('(edit_invalid)');
	const [, kept = ''] = /in "([^"]+)"/.exec(stderr) ?? [];
	expect(await readFile(kept, 'utf8')).toBe('{\n  "ref": main\n}\n');
	expect((await stat(kept)).mode & 0o777).toBe(0o600);
	expect(setup.port.calls).toEqual([]);
	await setup.home.write('mended.json', '{"ref": "mended"}');
	expect((await setup.replay('--body-file', setup.home.file('mended.json'))).code).toBe(0);
	expect(setup.port.calls).toMatchObject([{args: ['abcd12345', {body: '{"ref": "mended"}'}]}]);
});

test('SIGTERM while the editor is open ends both and leaves no file behind', async () => {
	await using setup = await open(stored(), 'exec tail -f /dev/null');
	await using svc = startSvc(['deliveries', 'replay', 'abcd12345', '--edit'], {
		home: setup.home.path,
		env: {EDITOR: `sh ${setup.home.file('editor.sh')}`},
	});
	await until(() => existsSync(setup.home.file('edited')));
	svc.kill('SIGTERM');
	const {code, stderr} = await svc.finished;
	expect(code).toBe(130);
	expect(stderr).toContain('(interrupted)');
	expect(await readdir(setup.home.file('cache/open'))).toEqual([]);
	expect(setup.port.calls).toEqual([]);
});

test('a form is edited as it is', async () => {
	await using setup = await open(
		stored({
			headers: {'content-type': 'application/x-www-form-urlencoded'},
			body: Buffer.from('a=1&b=2'),
		}),
		`sed -i 's/b=2/b=3/' "$1"`,
	);
	expect((await setup.replay('--edit')).code).toBe(0);
	expect(setup.port.calls).toMatchObject([{args: ['abcd12345', {body: 'a=1&b=3'}]}]);
});

test('a body that was not kept cannot be edited; a file that is not there cannot be sent; both at once is wrong usage', async () => {
	const {body: _none, ...bodiless} = stored();
	await using setup = await open(bodiless);
	expect((await setup.replay('--edit')).stderr).toContain('(body_not_kept)');
	expect((await setup.replay('--body-file', '/nowhere/x')).stderr).toContain('(file_unreadable)');
	expect((await setup.replay('--edit', '--body-file', 'x')).code).toBe(2);
	expect(setup.port.calls).toEqual([]);
});
