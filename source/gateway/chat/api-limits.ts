import type {ModelLimits} from '../../agent/providers.ts';
import type {PublicModel} from '../../api/http/public-model.ts';
import type {Clock} from '../../core/clock.ts';
import type {ApiModels} from './api-upstream.ts';

/** Who asks for the list of models waits no longer for the servers of them. */
const waitMs = 1000;
/** A server that has not answered by then is not waited for any more. */
const askMs = 10_000;
const knownMs = 600_000;
/** One that did not answer is asked again sooner. */
const unknownMs = 60_000;
const maxKnown = 200;

/** What the servers of models say of them; asked now and then, and never waited for longer than a second. Never rejects. */
export function createApiLimits({
	clock,
	models,
}: {
	readonly clock: Clock;
	readonly models: Pick<ApiModels, 'choice'>;
}): (model: PublicModel) => Promise<ModelLimits> {
	const known = new Map<string, {until: number; readonly limits: Promise<ModelLimits>}>();

	const ask = async (model: PublicModel): Promise<ModelLimits> => {
		const choice = await models.choice(model);
		if (choice.host === undefined) {
			return {};
		}

		const name = `${choice.host} ${choice.view.name}`;
		const before = known.get(name);
		if (before && before.until > clock.monotonic()) {
			return before.limits;
		}

		if (known.size >= maxKnown) {
			known.clear();
		}

		const ending = new AbortController();
		const cancel = clock.after(askMs, () => {
			ending.abort();
		});
		const asking = choice.ask(ending.signal).finally(cancel);
		const entry = {
			until: clock.monotonic() + knownMs,
			limits: asking.then(answer => answer?.limits ?? {}),
		};
		known.set(name, entry);
		try {
			return await entry.limits;
		} catch (error) {
			entry.until = clock.monotonic() + unknownMs;
			throw error;
		}
	};

	return async model => {
		const {promise: tooLate, resolve} = Promise.withResolvers<ModelLimits>();
		const cancel = clock.after(waitMs, () => {
			resolve({});
		});
		try {
			return await Promise.race([ask(model), tooLate]);
		} catch {
			// No server, or no list: nothing is known.
			return {};
		} finally {
			cancel();
		}
	};
}
