// @module-tag slow
import {expect, test} from 'vitest';
import {createFakePort} from '../helpers/fake-port.ts';
import {makeToolApproval} from '../helpers/make-approval.ts';
import {openPty} from '../helpers/pty.ts';
import {svcCommand, svcEnvironment} from '../helpers/svc.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';
import {serveControl} from './command.ts';

/** More lines than the terminal has, and one that is longer than any. */
const body = [
	...Array.from({length: 30}, (_, line) => `line ${line}`),
	`${'x'.repeat(100_000)} the end`,
].join('\n');

/** `svc approvals allow 7` on a terminal of its own. */
async function open({mustTypeName}: {readonly mustTypeName: boolean}) {
	const stack = new AsyncDisposableStack();
	const home = stack.use(await temporaryHome());
	const approval = makeToolApproval({id: 7, mustTypeName, args: {body}});
	const port = createFakePort({approvals: [approval]});
	port.answers.settled = {
		settled: true,
		approval: {
			...approval,
			decision: {outcome: 'allowed', at: approval.requestedAt, by: 'cli', scope: 'once'},
		},
	};
	stack.use(await serveControl(home.path, port));
	const [node, script] = svcCommand;
	const terminal = stack.use(
		openPty(node, [script, 'approvals', 'allow', '7'], {
			columns: 80,
			env: svcEnvironment({home: home.path}),
		}),
	);
	const settled = () => port.calls.filter(({name}) => name === 'settleApproval').length;
	return {settled, terminal, [Symbol.asyncDispose]: () => stack.disposeAsync()};
}

test.for([
	['a yes', false, 'Allow "create_issue"', 'y\r', 1],
	['its name', true, 'Type its name', 'create_issue\r', 1],
	['a yes where its name is wanted', true, 'Type its name', 'y\r', 0],
] as const)(
	'on a terminal the whole request is printed before anybody is asked: %s',
	async ([, mustTypeName, question, keys, allows]) => {
		await using setup = await open({mustTypeName});
		await setup.terminal.waitForText(question);
		expect(setup.settled()).toBe(0);
		const written = setup.terminal.written();
		for (const line of body.split('\n')) {
			expect(written).toContain(line.slice(-8));
		}

		setup.terminal.write(keys);
		expect((await setup.terminal.exited).exitCode).toBe(allows === 1 ? 0 : 1);
		expect(setup.settled()).toBe(allows);
	},
);
