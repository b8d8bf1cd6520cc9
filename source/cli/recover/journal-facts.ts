import type {Route} from '../../config/route.ts';
import type {Delivery, DeliveryOutcome, StoredDelivery} from '../../core/delivery.ts';
import {SvcError} from '../../core/errors.ts';
import {lookUp} from '../../core/payload.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {parseBody} from '../../webhook/request-content.ts';
import type {Home} from '../home/open-home.ts';

/** The received deliveries. */
type TakenIn = Pick<Home, 'getDelivery' | 'listDeliveries'>;

const page = 1000;

/** A hundred thousand deliveries. */
const maxPages = 100;

/** How much earlier an event may have been taken in, by an attempt before those requested. */
const earlierMs = 7 * 24 * 60 * 60 * 1000;

const takenIn: readonly DeliveryOutcome[] = ['accepted', 'coalesced', 'delivered'];

/** Imported deliveries had no run here. */
const cameHere = ({idSource}: Delivery): boolean => idSource !== 'import';

/** Identifiers of the events that a route has taken in since a point in time, and for a while before. */
export async function idsTakenIn(
	home: TakenIn,
	{route, since}: {readonly route: Route; readonly since: number},
): Promise<ReadonlySet<string>> {
	const ids = new Set<string>();
	let before: string | undefined;
	for (let count = 0; count < maxPages; count++) {
		// oxlint-disable-next-line no-await-in-loop -- a page begins where the last one ended
		const found = await home.listDeliveries({
			route: route.name,
			outcomes: takenIn,
			since: since - earlierMs,
			...(before !== undefined && {before}),
			limit: page,
		});
		for (const delivery of found) {
			if (delivery.profile === route.profile && cameHere(delivery)) {
				ids.add(delivery.deliveryId);
			}
		}

		before = found.at(-1)?.id;
		if (found.length < page) {
			break;
		}
	}

	return ids;
}

/** Neither part may look like an option or escape its place. */
const repository = /^(?![.-]+\/)\w[\w.-]{0,99}\/(?!\.{1,2}$)[\w.][\w.-]{0,99}$/;

/** How many deliveries are read to find their repository. */
const lookedAt = 20;

/**
 * The repository whose webhook feeds a route: the one named by the person, else `deliver_extra.repo`, else that of the newest payloads.
 *
 * @throws SvcError `repo_unknown`
 */
export async function repositoryOfRoute(
	home: TakenIn,
	{name, deliverExtra}: Route,
	named: string | undefined,
): Promise<string> {
	if (named !== undefined && !repository.test(named)) {
		throw new SvcError(
			'repo_unknown',
			`Cannot use "${escapeLine(named, 100)}" as a repository: it must be OWNER/NAME`,
		);
	}

	const known = named ?? deliverExtra['repo'];
	if (typeof known === 'string' && repository.test(known)) {
		return known;
	}

	const newest = await home.listDeliveries({route: name, outcomes: takenIn, limit: page});
	for (const {id} of newest.filter(cameHere).slice(0, lookedAt)) {
		// oxlint-disable-next-line no-await-in-loop -- the first one that says it ends the search
		const found = repositoryIn(await home.getDelivery(id));
		if (found !== undefined) {
			return found;
		}
	}

	throw new SvcError(
		'repo_unknown',
		`Cannot tell which repository feeds route "${name}": name it with --repo OWNER/NAME`,
	);
}

/** `repository.full_name` in a payload. */
function repositoryIn(stored: StoredDelivery | undefined): string | undefined {
	const parsed = stored?.body && parseBody(Buffer.from(stored.body), stored.headers);
	const name = parsed?.ok ? lookUp(parsed.payload, ['repository', 'full_name']) : undefined;
	return typeof name === 'string' && repository.test(name) ? name : undefined;
}
