import {describe, expect, test} from 'vitest';
import type {DeliveryError} from '../../source/platforms/delivery-error.ts';
import type {PlatformSettings} from '../../source/platforms/target-kind.ts';
import {failureOf, makeMessage} from '../delivery/delivery-fixture.ts';
import {openPlatform, openSender, openWorld, type Speech} from './open-platform.ts';
import type {Reply, Service} from './service.ts';

/** What a stranger may write to be noticed, or to lead somebody astray. */
const hostile = [
	'deployed @everyone @here @channel @all <!channel> <!here> <@U123456> <@&123> <users/all> @**all** @**everyone** @*group*',
	'<at user_id="all">all</at> <at id=all></at> &#64;everyone &commat;all \u202eevil &#x202e;live &#13;@all &#12;\u0007 @room @alice:example.org',
	'[click](javascript:alert(1)) [user](tg://user?id=1) [x](https://example.org/a) <https://example.org/b> <!subteam^S1|x>',
	'`@everyone` **@all** _@here_ ~~@channel~~ @\u200beveryone',
].join('\n\n');

/** What every platform has to do, whichever it is. */
export function testPlatform(speech: Speech): void {
	const {kind, isSending, textOf, keyOf, secrets, refusal, changes} = speech;
	const sentTo = ({calls}: Service) => calls.filter(isSending);

	// oxlint-disable-next-line vitest/valid-title -- it is a text
	describe(kind, () => {
		test('a message arrives as the service wants it, and the receipt says where', async () => {
			await using open = await openPlatform(speech);
			const {summary} = await open.deliver('It works.');

			expect(open.service.faults).toEqual([]);
			expect(sentTo(open.service).map(textOf)).toEqual([expect.stringContaining('It works')]);
			expect(summary).toMatch(new RegExp(`^${kind} \\S`));
			expect(open.deliverer.platforms()).toEqual([{name: kind, state: 'connected'}]);
		});

		test.for(speech.refused)('chat_id %j is refused before anything is asked', async chat => {
			await using open = await openPlatform(speech);
			const delivery = open.deliver('x', {}, {...speech.extra, chat_id: chat});

			expect(await failureOf(delivery)).toMatchObject({
				code: expect.stringMatching(/^target_(?:invalid|incomplete)$/),
				retryable: false,
			});
			expect(open.service.calls).toEqual([]);
		});

		test.for(speech.failures)('$name: $code', async ({reply, code, waitMs}) => {
			await using open = await openSender(speech);
			open.service.react(reply);
			const failure = await open.send('x').then(
				() => undefined,
				(error: DeliveryError) => error,
			);

			expect(open.service.faults).toEqual([]);
			expect(failure).toMatchObject({
				code,
				retryable: code !== 'platform_rejected',
				isUncertain: false,
				retryAfterMs: waitMs,
			});
		});

		test.for(['<html>502 Bad Gateway</html>', '[]', '{"ok"', 'null'])(
			'an answer of 200 with %j is no success',
			async text => {
				await using open = await openSender(speech);
				open.service.react({status: 200, text});
				expect(await failureOf(open.send('x'))).toMatchObject({
					code: 'platform_failed',
					retryable: true,
				});
			},
		);

		test.for(
			[400, 401, 403, 404].flatMap(status =>
				['<html>Log in to the proxy</html>', '{"ok"', ''].map(text => ({status, text})),
			),
		)('an answer of $status with "$text" counts as trouble of the platform', async reply => {
			await using open = await openSender(speech);
			open.service.react(reply);
			expect(await failureOf(open.send('x'))).toMatchObject({
				code: 'platform_failed',
				retryable: true,
			});
		});

		test.for([400, 401, 403, 500])(
			'what the service quotes of our secrets with %i is not shown',
			async status => {
				await using open = await openSender(speech);
				const quoted = () => [...secrets, ...open.hidden].join(' ');
				await open.send('x');
				const says = {
					status,
					json: {
						ok: false,
						message: quoted(),
						description: quoted(),
						error: quoted(),
						msg: quoted(),
					},
				};
				// Some ask once more, with another token.
				open.service.react(says, says);
				const {message} = await failureOf(open.send('x'));

				for (const secret of [...secrets, ...open.hidden]) {
					expect(message).not.toContain(secret);
				}
			},
		);

		test('a service that is down makes the platform failed, and nothing more is sent before the wait is over', async () => {
			await using open = await openPlatform(speech);
			open.service.react({status: 503, text: 'down'});
			expect(await failureOf(open.deliver('x', {runId: 1}))).toMatchObject({
				code: 'platform_failed',
				retryable: true,
			});
			expect(open.deliverer.platforms()).toEqual([
				{
					name: kind,
					state: 'failed',
					reason: expect.stringContaining('503'),
					nextTry: open.clock.now() + 5000,
				},
			]);
			const {runId: _, ...direct} = makeMessage(kind, speech.extra, {delivery: 'direct'});
			const refused = open.deliverer.deliver(direct, new AbortController().signal);
			expect(await failureOf(refused)).toMatchObject({code: 'platform_failed'});
			expect(sentTo(open.service)).toHaveLength(1);
			open.clock.advance(5000);
			await open.deliver('x', {runId: 2});
			expect(open.deliverer.platforms()).toEqual([{name: kind, state: 'connected'}]);
		});

		test.for(keyOf ? ['its key'] : [])(
			'a message that broke off is sent again with %s',
			async () => {
				await using open = await openPlatform(speech);
				open.service.react('breaks');
				const delivery = open.deliver('once');
				await open.pass(1000);
				await delivery;

				const tries = sentTo(open.service).map(call => JSON.stringify(keyOf?.(call)));
				expect(tries).toHaveLength(2);
				expect(new Set(tries).size).toBe(1);
			},
		);

		test.for(keyOf ? [] : ['not sent again'])(
			'a message that broke off is uncertain, and %s',
			async () => {
				await using open = await openPlatform(speech);
				open.service.react('breaks');

				expect(await failureOf(open.deliver('once'))).toMatchObject({
					code: 'delivery_uncertain',
					retryable: false,
				});
				expect(sentTo(open.service)).toHaveLength(1);
			},
		);

		test('no answer within 30 s is uncertain', async () => {
			await using open = await openSender(speech);
			open.service.react('hangs');
			const failure = failureOf(open.send('x'));
			await open.service.sent(1);
			open.clock.advance(30_000);
			expect(await failure).toMatchObject({code: 'delivery_uncertain'});
		});

		test('a long text arrives whole and in order, in messages that the service takes', async () => {
			await using open = await openSender(speech, {written: {max_parts: 100}});
			const words = Array.from(
				{length: Math.ceil((speech.limit * 2.5) / 8)},
				(_, index) => `w${index}x`,
			);
			// Some take two units or four bytes.
			await open.send(words.map((word, index) => (index % 3 === 0 ? `${word}😀` : word)).join(' '));

			const calls = sentTo(open.service);
			expect(calls.length).toBeGreaterThan(1);
			expect(open.service.faults).toEqual([]);
			expect(calls.flatMap(call => textOf(call).match(/w\d+x/g) ?? [])).toEqual(words);
			expect(Math.max(...calls.map(call => speech.measure(call)))).toBeLessThanOrEqual(
				speech.limit,
			);
			expect(new Set(calls.map(call => JSON.stringify(keyOf?.(call) ?? call.raw))).size).toBe(
				calls.length,
			);
		});

		test.for(['markdown', 'plain'])(
			"a stranger's text as %s notifies nobody, and links to nothing but the web and mail",
			async format => {
				await using open = await openSender(speech);
				await open.send(hostile, {...speech.extra, format});

				expect(open.service.faults).toEqual([]);
				const texts = sentTo(open.service).map(textOf).join('\n');
				expect(texts).toContain('deployed');
				expect(speech.mention?.exec(texts) ?? null).toBe(null);
				expect(texts).not.toMatch(/href="(?!https?:|mailto:)/);
				// oxlint-disable-next-line no-control-regex -- they are what may not be there
				expect(texts).not.toMatch(/[\0-\u0008\u000b-\u001f\u202a-\u202e\u2066-\u2069]/);
			},
		);

		test.for<readonly [string, Reply | undefined]>([
			...(changes ? [['is changed', undefined] as const] : []),
			...(changes?.refusals ?? []).map(
				reply => [`is sent anew where ${JSON.stringify(reply)} is the answer`, reply] as const,
			),
		])('a sticky message %s', async ([, refused]) => {
			await using open = await openPlatform(speech, {written: {per_minute: 0}});
			const sticky = {...speech.extra, sticky: true};
			await open.deliver('one', {runId: 1}, sticky);
			open.service.reactToChecks(...(refused ? [refused] : []));
			const {summary} = await open.deliver('two', {runId: 2}, sticky);

			expect(open.service.faults).toEqual([]);
			const changed = open.service.calls.filter(call => changes?.isChange(call));
			expect(changed.map(call => changes?.textOf(call))).toEqual(['two']);
			expect(sentTo(open.service).map(textOf)).toEqual(refused ? ['one', 'two'] : ['one']);
			expect(summary.endsWith(', edited')).toBe(!refused);
		});

		test.for(refusal ? ['5 and 10 s'] : [])(
			'the connect check tells wrong credentials, and is made again after %s',
			async () => {
				await using open = await openPlatform(speech);
				const wrong = refusal ?? {status: 401};
				open.service.reactToChecks(wrong, wrong);
				open.deliverer.follow();
				expect(await open.next()).toEqual({name: kind, state: 'connecting'});
				for (const waitMs of [5000, 10_000]) {
					// oxlint-disable-next-line no-await-in-loop -- one after the other
					expect(await open.next()).toEqual({
						name: kind,
						state: 'failed',
						reason: expect.any(String),
						nextTry: open.clock.now() + waitMs,
					});
					open.clock.advance(waitMs);
				}

				expect(await open.next()).toEqual({name: kind, state: 'connected'});
				expect(sentTo(open.service)).toEqual([]);
				expect(open.service.faults).toEqual([]);
			},
		);

		test('enabled without its settings it says what it lacks', async () => {
			await using open = await openWorld({...speech, settings: () => ({})}, {}).then(
				({service, value}) => ({
					value,
					[Symbol.asyncDispose]: async () => service[Symbol.asyncDispose](),
				}),
			);
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every platform has them
			expect((open.value as PlatformSettings).lacks).toMatch(/^"\w+"/);
		});
	});
}
