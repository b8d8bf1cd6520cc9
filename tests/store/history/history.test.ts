import {writeFile} from 'node:fs/promises';
import type {Worker} from 'node:worker_threads';
import {expect, test} from 'vitest';
import {createHistory} from '../../../source/store/history/history.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {acceptRun, startMs} from '../samples.ts';
import {createSqliteHome} from '../sqlite-home.ts';

const question = {filter: '', now: startMs, limit: 10};

/** What became of two questions that `history` has at once, of which `meanwhile` happens to. */
async function ask(
	history: ReturnType<typeof createHistory>,
	meanwhile: () => unknown = () => {},
): Promise<unknown> {
	const asked = [history.search('runs', question), history.search('deliveries', question)];
	const [answers] = await Promise.all([Promise.allSettled(asked), meanwhile()]);
	return answers;
}

const refused = {status: 'rejected', reason: {code: 'history_unreadable'}};
const answered = {status: 'fulfilled', value: {items: [expect.anything()]}};

test('a thread that is killed with questions is an error to each who asked, and the next question begins another', async () => {
	await using home = await createSqliteHome();
	const clock = createFakeClock(startMs);
	await using store = await home.open(clock);
	await acceptRun(store);
	await using history = createHistory({clock, settle() {}}, {file: home.file});
	const begun = new Promise<Worker>(resolve => {
		process.once('worker', resolve);
	});
	expect(await ask(history, async () => (await begun).terminate())).toMatchObject([
		refused,
		refused,
	]);
	expect(await ask(history)).toMatchObject([answered, answered]);
});

test('a thread that cannot open its file is an error to whoever asked', async () => {
	await using home = await createSqliteHome();
	const clock = createFakeClock(startMs);
	await using _ = await home.open(clock);
	const file = `${home.file}.broken`;
	await writeFile(file, 'no database, as the thread finds when it begins');
	await using history = createHistory({clock, settle() {}}, {file});
	expect(await ask(history)).toMatchObject([refused, refused]);
});

test('an answer that comes while the thread ends leaves no timer, which would keep the process', async () => {
	await using home = await createSqliteHome();
	const clock = createFakeClock(startMs);
	await using store = await home.open(clock);
	await acceptRun(store);
	const timers = clock.timersLeft;
	const history = createHistory({clock, settle() {}}, {file: home.file});
	const asked = history.search('runs', question);
	const ended = history[Symbol.asyncDispose]();
	await Promise.allSettled([asked, ended]);
	expect(clock.timersLeft).toBe(timers);
});
