import {expect, test} from 'vitest';
import {startApi} from '../helpers/api.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';
import {command, commandJson, type Ran} from './command.ts';

/** Has a session with the offline model, as a test key. */
async function world() {
	await using stack = new AsyncDisposableStack();
	const api = stack.use(await startApi());
	const {home} = api.gateway;
	const key = await api.makeKey({name: 'ci', kind: 'test'});
	const chat = async (content: string, session: string) => {
		const answer = await api.chat(
			{model: 'svc-agent-1', messages: [{role: 'user', content}]},
			{key, headers: {'x-svc-session': session}},
		);
		await answer.text();
		return answer.headers.get('x-svc-session') ?? '';
	};

	const first = await chat('Where do the \u001B[31m penguins live?', 'new');
	await chat('And the bears?', first);
	const second = await chat('Nothing of note', 'new');
	const opened = stack.move();
	return {
		api,
		first,
		second,
		run: async (...args: readonly string[]): Promise<Ran> =>
			command(['sessions', ...args], {home: home.path}),
		// oxlint-disable-next-line typescript/no-explicit-any -- as `commandJson`
		json: async (...args: readonly string[]): Promise<any> =>
			commandJson(['sessions', ...args], {home: home.path}),
		[Symbol.asyncDispose]: async () => opened.disposeAsync(),
	};
}

test('sessions are listed, shown, searched and deleted, with a gateway and without', async () => {
	await using home = await world();
	const {first, second} = home;
	const look = async () => {
		const list = await home.run('list');
		expect(list.stdout).toMatch(/ses_\w{30} {2}ci \(test\)/);
		expect((await home.json('list')).map(({id}: {id: string}) => id)).toEqual([second, first]);
		expect(await home.json('list', '--limit', '1')).toHaveLength(1);
		const shown = await home.run('show', first);
		expect(shown.stdout).toContain('  Where do the ␛[31m penguins live?\n');
		expect(shown.stdout).toMatch(/assistant {2}[\d: -]+ {2}run #\d+/);
		expect(await home.json('show', first)).toMatchObject({
			id: first,
			messages: 4,
			conversation: [{message: {role: 'user'}}, {}, {message: {content: 'And the bears?'}}, {}],
		});
		const found = await home.json('search', 'bear', 'and');
		expect(found[0]).toMatchObject({
			session: {id: first},
			excerpt: expect.stringContaining('bears'),
		});
		const table = await home.run('search', 'penguin');
		expect(table.stdout).toContain('␛[31m penguins');
		expect(await home.json('search', '"', '*', '(')).toEqual([]);
		expect(await home.run('show', 'ses_none')).toMatchObject({
			code: 1,
			stderr: expect.stringContaining('(session_not_found)'),
		});
	};

	await look();
	await home.api.gateway.gateway[Symbol.asyncDispose]();
	await look();
	expect((await home.run('delete', second)).stdout).toBe(`Deleted session ${second}\n`);
	expect((await home.run('delete', second)).code).toBe(1);
	expect(await home.json('list')).toHaveLength(1);
	expect(await home.json('search', 'note')).toEqual([]);
});

test('a home without any says how one begins', async () => {
	await using home = await temporaryHome();
	const {code, stderr} = await command(['sessions', 'list'], {home: home.path});
	expect({code, says: stderr.includes('x-svc-session: new')}).toEqual({code: 0, says: true});
});
