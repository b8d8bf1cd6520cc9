import {expect, test} from 'vitest';
import type {FormField} from '../../source/core/approval.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {createFakePort} from '../helpers/fake-port.ts';
import {makeField, makeFormApproval} from '../helpers/make-approval.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';
import {command, serveControl} from './command.ts';
import {openTerminal} from './terminal.ts';

const fields: readonly FormField[] = [
	makeField({
		key: 'account',
		title: 'Account',
		required: true,
		description: 'The name\u001b[2J of it',
	}),
	makeField({key: 'seats', title: 'Seats', kind: 'integer', least: 1, most: 5, initial: 2}),
	makeField({key: 'trial', title: 'Trial', kind: 'boolean'}),
	makeField({
		key: 'size',
		title: 'Size',
		kind: 'choice',
		options: [
			{value: 's', title: 'Small'},
			{value: 'l', title: 'Large'},
		],
	}),
	makeField({
		key: 'days',
		title: 'Days',
		kind: 'choices',
		options: [
			{value: 'mon', title: 'Monday'},
			{value: 'tue', title: 'Tuesday'},
		],
	}),
	makeField({key: 'pin', title: 'PIN', masked: true}),
];

async function open() {
	const stack = new AsyncDisposableStack();
	const home = stack.use(await temporaryHome());
	const approval = makeFormApproval({id: 9, fields: [...fields]});
	const port = createFakePort({approvals: [approval]});
	port.answers.settled = {settled: true, approval};
	stack.use(await serveControl(home.path, port));
	const clock = createFakeClock(approval.requestedAt);
	const answers = () =>
		port.calls
			.filter(({name}) => name === 'settleApproval')
			.map(({args}) => (args[1] as {readonly answer: unknown}).answer);
	return {home: home.path, clock, answers, [Symbol.asyncDispose]: () => stack.disposeAsync()};
}

test('a form is filled in field by field, read whole, and sent after a yes', async () => {
	await using setup = await open();
	const terminal = openTerminal(['approvals', 'fill', '9'], {...setup, rows: 60});
	await terminal.waitFor('"Account" [] ');
	await terminal.type('done');
	await terminal.waitFor('"Account" is needed');
	await terminal.waitFor('"Account" [] ');
	await terminal.type('acme');
	await terminal.waitFor('at least 1, at most 5, may be left out');
	await terminal.waitFor('"Seats" [2] ');
	await terminal.type('9');
	await terminal.waitFor('Not taken: "Seats" at most 5');
	await terminal.type('3');
	await terminal.waitFor('"Trial" [] ');
	await terminal.type('perhaps');
	await terminal.waitFor('Not taken: "Trial" is yes or no');
	await terminal.type('yes');
	await terminal.waitFor('2. "Large"');
	await terminal.type('2');
	await terminal.waitFor('"Days" [(none)] ');
	await terminal.type('back');
	await terminal.waitFor('"Size" [Large] ');
	await terminal.type('');
	await terminal.waitFor('"Days" [(none)] ');
	await terminal.type('2, 1');
	await terminal.waitFor('"PIN" [] ');
	await terminal.type('4711');
	await terminal.waitFor('what is sent to crm (crm.example.com)');
	await terminal.waitFor('leaves it waiting: ');
	expect(setup.answers()).toEqual([]);
	await terminal.type('y');
	expect(await terminal.exited).toBe(0);
	expect(setup.answers()).toEqual([
		{
			choice: 'submit',
			content: {
				account: 'acme',
				seats: 3,
				trial: true,
				size: 'l',
				days: ['tue', 'mon'],
				pin: '4711',
			},
		},
	]);
	expect(terminal.written()).not.toContain('4711');
	expect(terminal.written()).not.toContain('\u001b[2J');
});

test.for([
	['decline', [{choice: 'deny'}], 0],
	['cancel', [], 1],
	['quit', [], 1],
] as const)('"%s" at a field', async ([word, answers, code]) => {
	await using setup = await open();
	const terminal = openTerminal(['approvals', 'fill', '9'], setup);
	await terminal.waitFor('"Account" [] ');
	await terminal.type(word);
	expect(await terminal.exited).toBe(code);
	expect(setup.answers()).toEqual(answers);
});

test.for([
	['d', [{choice: 'deny'}], 0],
	['', [], 1],
	['n', [], 1],
] as const)('"%s" where all of it was read sends nothing', async ([word, answers, code]) => {
	await using setup = await open();
	const values = ['--values', '{"account": "acme"}'];
	const terminal = openTerminal(['approvals', 'fill', '9', ...values], {...setup, rows: 60});
	await terminal.waitFor('leaves it waiting: ');
	terminal.send('y\r');
	await terminal.waitFor('Too early');
	await terminal.waitFor('leaves it waiting: ');
	await terminal.type(word);
	expect(await terminal.exited).toBe(code);
	expect(setup.answers()).toEqual(answers);
});

test('through a pipe "--values JSON" is the answer, checked before it is sent', async () => {
	await using setup = await open();
	const run = async (...args: readonly string[]) =>
		command(['approvals', 'fill', '9', ...args], setup);
	expect(await run()).toMatchObject({code: 1, stderr: expect.stringContaining('--values JSON')});
	expect(await run('--values', '[]')).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('--values is no JSON object'),
	});
	expect(await run('--values', '{"seats": 3}')).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('field "Account" must be filled in'),
	});
	expect(await run('--values', '{"account": "acme", "seats": 3}')).toMatchObject({
		code: 0,
		stdout: 'Sent the form of crm\n',
	});
	expect(setup.answers()).toEqual([{choice: 'submit', content: {account: 'acme', seats: 3}}]);
});
