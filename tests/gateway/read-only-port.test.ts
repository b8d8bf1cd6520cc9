import {expect, test} from 'vitest';
import {codeOf, messageOf} from '../../source/core/errors.ts';
import {contract} from '../../source/gateway/contract/contract.ts';
import {readOnlyPort} from '../../source/gateway/read-only-port.ts';
import {createFakePort} from '../helpers/fake-port.ts';

const looks = [
	'backtestRoute',
	'checkRoute',
	'planReplay',
	'planRouteSave',
	'planSetup',
	'previewRoute',
	'reviewInstall',
];

test('every command that is no GET is refused, but for those that only look', async () => {
	const port = createFakePort();
	const looking = readOnlyPort(port);
	const changing = (Object.keys(contract) as Array<keyof typeof contract>).filter(
		name => contract[name].method !== 'GET',
	);
	const passed = changing.filter(name => looking[name] === port[name]);
	const said = await Promise.all(
		changing
			.filter(name => looking[name] !== port[name])
			.map(async name => {
				const call = looking[name] as () => Promise<unknown>;
				const error: unknown = await call().catch((reason: unknown) => reason);
				return [name, codeOf(error), messageOf(error)];
			}),
	);

	expect(said).toEqual(
		said.map(([name]) => [
			name,
			'read_only',
			`Cannot call "${name}": this face was opened with --read-only`,
		]),
	);
	expect(passed.toSorted()).toEqual(looks);
	expect(port.calls).toEqual([]);
});

test('what reads goes through, and state and events are those of the gateway', () => {
	const port = createFakePort();
	const looking = readOnlyPort(port);

	expect(looking.listRuns).toBe(port.listRuns);
	expect(looking.getState()).toBe(port.getState());
	expect(looking.isReadOnly).toBe(true);
});
