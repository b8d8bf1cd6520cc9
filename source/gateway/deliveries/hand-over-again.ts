import {SvcError} from '../../core/errors.ts';
import type {StoredRun, Target} from '../../core/run.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {whyNotHandedOver} from '../../nouns/run/run-word.ts';
import {targetOf} from '../../platforms/platforms.ts';
import {unavailableJob} from '../../schedule/find-job.ts';
import {eventOf} from '../../webhook/identity.ts';
import {replayedEvent} from '../../webhook/pipeline.ts';
import {parseBody} from '../../webhook/request-content.ts';
import {compileExtra} from '../../webhook/template.ts';
import type {Rooms} from '../rooms.ts';

type Parts = Pick<Rooms, 'announce' | 'deliverer' | 'jobs' | 'live' | 'store'>;

/** The wanted target. `to`: its kind; `chatId`: its `deliver_extra.chat_id`. */
type Wish = {readonly to?: string; readonly chatId?: string};

/**
 * Queues the stored answer of an ended run for another delivery; resolves with the target once the journal has it, `undefined` when there is no such run.
 *
 * @throws SvcError `run_not_deliverable`, `target_unusable`, `route_not_found`, `body_not_kept`, `job_not_found`
 * @see manual/runs.md#putting-away-and-handing-over
 */
export async function handOverAgain(
	parts: Parts,
	id: number,
	wish: Wish = {},
): Promise<Target | undefined> {
	const {store, deliverer, announce} = parts;
	const run = await store.runs.get(id);
	if (!run) {
		return undefined;
	}

	const failure = `Cannot deliver the answer of run ${id}`;
	const why = whyNotHandedOver(run);
	if (why !== undefined) {
		throw new SvcError('run_not_deliverable', `${failure}: ${why}`);
	}

	const target = await targetFor(parts, run, {...wish, failure});
	const problem = deliverer.problemWith(target);
	if (problem !== undefined) {
		throw new SvcError(
			'target_unusable',
			`${failure} to ${escapeLine(target.kind, 80)}: ${problem}`,
		);
	}

	if (!(await store.runs.handOver(id, target))) {
		throw new SvcError('run_not_deliverable', `${failure}: it has changed meanwhile, look again`);
	}

	await announce.queued(id);
	return target;
}

/** The wanted target, with the settings of the run's own target if that is of the same kind; without a wanted kind, the present target of the run's route or job. */
async function targetFor(
	parts: Parts,
	run: StoredRun,
	{to, chatId, failure}: Wish & {readonly failure: string},
): Promise<Target> {
	const chat = chatId === undefined ? {} : {chat_id: chatId};
	if (to === undefined) {
		const {kind, extra} = await presentTarget(parts, run, failure);
		return {kind, extra: {...extra, ...chat}};
	}

	const kind = targetOf(to);
	const {target, planned} = run.plan;
	const known = [target, planned].find(one => one?.kind === kind);
	return {kind, extra: {...known?.extra, ...chat}};
}

const orNameOne = 'name a target, such as --to log';

async function presentTarget(
	{jobs, live, store}: Parts,
	{delivery, job, profile, route}: StoredRun,
	failure: string,
): Promise<Target> {
	if (job) {
		const found = jobs.find(job.id, profile);
		if (found.kind !== 'found') {
			throw new SvcError(
				'job_not_found',
				`${failure} to the target of its job: ${unavailableJob(job.name, found)}; ${orNameOne}`,
			);
		}

		return found.job.target;
	}

	const table = live.routes();
	const stored = delivery === undefined ? undefined : await store.journal.get(delivery);
	if (!stored || table.routes.get(route)?.profile !== profile) {
		throw new SvcError(
			'route_not_found',
			`${failure} to the target of its route: "${escapeLine(route, 100)}" is not served now; ${orNameOne}`,
		);
	}

	if (!stored.body) {
		throw new SvcError(
			'body_not_kept',
			`${failure} to the target of its route: the body of delivery "${stored.id}", which its keys are filled in from, was not kept; ${orNameOne}`,
		);
	}

	const event = replayedEvent(stored, {}, table);
	const parsed = parseBody(event.body, event.headers);
	const payload = parsed.ok ? parsed.payload : null;
	const {name} = eventOf(event.route, {headers: event.headers, payload});
	const {deliver: kind, deliverExtra} = event.route;
	return {kind, extra: compileExtra(deliverExtra)({payload, event: name})};
}
