// @module-tag slow
import {expect, test} from 'vitest';
import {createFakePort} from '../../helpers/fake-port.ts';
import {makeDelivery} from '../../helpers/make.ts';
import {openPty} from '../../helpers/pty.ts';
import {svcCommand, svcEnvironment} from '../../helpers/svc.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {serveControl} from '../command.ts';

/** `svc deliveries replay` on a terminal of its own, of a delivery whose replay posts a comment. */
async function open(...flags: readonly string[]) {
	const stack = new AsyncDisposableStack();
	const home = stack.use(await temporaryHome());
	const port = createFakePort();
	port.answers.plan = {
		route: 'gh',
		effects: ['posts a comment to acme/api#7'],
		needsConfirmation: true,
	};
	port.deliveries.set('abcd1', {
		...makeDelivery({id: 'abcd1'}),
		headers: {},
		body: Buffer.from('{"a":1}'),
	});
	stack.use(await serveControl(home.path, port));
	const [node, script] = svcCommand;
	const terminal = stack.use(
		openPty(node, [script, 'deliveries', 'replay', 'abcd1', ...flags], {
			columns: 80,
			env: svcEnvironment({
				home: home.path,
				env: {EDITOR: `sed -i 's/1/2/'`},
			}),
		}),
	);
	return {port, terminal, [Symbol.asyncDispose]: () => stack.disposeAsync()};
}

test('on a terminal the person is asked, and a yes does it', async () => {
	await using setup = await open();
	const lines = await setup.terminal.waitForText('Do this? [y/N]');
	expect(lines.join('\n')).toContain('posts a comment to acme/api#7');
	expect(setup.port.calls).toEqual([]);
	setup.terminal.write('y\r');
	await setup.terminal.waitForText('202 {"status":"accepted"}');
	expect((await setup.terminal.exited).exitCode).toBe(0);
	expect(setup.port.calls).toEqual([{name: 'replay', args: ['abcd1', {}]}]);
});

test.for([
	['a no', 'n\r', 1],
	['nothing', '\r', 1],
	['the end of the input', '\u0004', 1],
	['Ctrl-C', '\u0003', 130],
] as const)('%s does nothing', async ([, keys, code]) => {
	await using setup = await open();
	await setup.terminal.waitForText('Do this? [y/N]');
	setup.terminal.write(keys);
	expect((await setup.terminal.exited).exitCode).toBe(code);
	expect(setup.terminal.lines().join('\n')).toContain('Not sent again');
	expect(setup.port.calls).toEqual([]);
});

test('the editor has the terminal; what it saved is confirmed like everything else', async () => {
	await using setup = await open('--edit');
	const lines = await setup.terminal.waitForText('Do this? [y/N]');
	expect(lines.join('\n')).toContain('with another body');
	setup.terminal.write('y\r');
	await setup.terminal.exited;
	expect(setup.port.calls).toEqual([{name: 'replay', args: ['abcd1', {body: '{\n  "a": 2\n}'}]}]);
});
