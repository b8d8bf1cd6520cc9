import {chooseModel, type ModelChoice} from '../agent/choose-model.ts';
import type {ModelFetch} from '../agent/model-fetch.ts';
import type {Config} from '../config/config.ts';
import {messageOf, type SvcError} from '../core/errors.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {World} from '../core/world.ts';

/** How long to wait before looking for a model again after none was found, milliseconds. */
const lookAgainMs = 30_000;

/** Points per failed call; errors without points concern only the one request. At `manyFailures` points without a success in between, the model counts as silent. */
const failuresOf: Readonly<Record<string, number>> = {
	model_unreachable: 3,
	model_refused: 3,
	model_failed: 1,
};
const manyFailures = 3;

export type LiveModel = ReturnType<typeof createLiveModel>;

/** Chooses the model and reports the choice once each time it changes. */
export function createLiveModel(
	world: Pick<World, 'clock' | 'emit' | 'log' | 'redact'> & {
		readonly config: () => Config;
		readonly modelFetch: Pick<ModelFetch, 'fetch'>;
		/** Where to look for model servers on this machine; the usual addresses when absent. */
		readonly localServers?: readonly string[];
	},
) {
	const {config, clock, modelFetch, localServers, emit, redact, log} = world;
	const options = {clock, fetch: modelFetch.fetch, ...(localServers && {localServers})};
	let choice: Promise<ModelChoice> | undefined;
	let chosenAt = 0;
	let reported = '';
	let closed = false;
	let failures = 0;

	/** Records how a call of the configured model ended. One failure may be due to the request; an unreachable server or a refused key fails all of them. */
	const heard = (failure?: SvcError) => {
		if (!failure) {
			if (failures >= manyFailures) {
				log.note('The model answers again');
				emit({type: 'model-answers', at: clock.now()});
			}

			failures = 0;
			return;
		}

		const wasSilent = failures >= manyFailures;
		failures += failuresOf[failure.code] ?? 0;
		if (failures >= manyFailures && !closed) {
			if (!wasSilent) {
				log.error(`Runs fail until the model answers: ${failure.message}`);
			}

			emit({type: 'model-silent', at: clock.now(), reason: escapeLine(redact(failure.message))});
		}
	};

	const choose = async () => {
		chosenAt = clock.monotonic();
		const mine = chooseModel(config(), options);
		choice = mine;
		// A later choice, or the end, may have overtaken a slow one.
		const isCurrent = () => choice === mine && !closed;
		try {
			const found = await mine;
			if (isCurrent()) {
				report(found);
			}
		} catch (error) {
			const reason = messageOf(error);
			if (isCurrent() && reason !== reported) {
				reported = reason;
				log.error(`Runs will fail: ${reason}`);
				emit({type: 'model-refused', at: clock.now(), reason: escapeLine(redact(reason))});
			}
		}
	};

	const report = ({view, offers}: ModelChoice) => {
		const [offer] = offers;
		const text = JSON.stringify([view, offer?.view]);
		if (text === reported) {
			return;
		}

		reported = text;
		failures = 0;
		log.note(`The model is ${view.name}`, {provider: view.provider, origin: view.origin});
		emit({
			type: 'model-selected',
			at: clock.now(),
			model: view,
			...(offer && {offer: offer.view}),
		});
	};

	const current = async (): Promise<ModelChoice> => {
		if (!choice) {
			await choose();
		} else {
			const found = await choice.catch(() => undefined);
			const isOld = clock.monotonic() - chosenAt > lookAgainMs;
			if (
				!found ||
				(found.view.provider === 'offline' && isOld && config().model.provider === 'auto')
			) {
				await choose();
			}
		}

		if (!choice) {
			throw new Error('a choice has been made');
		}

		return choice;
	};

	return {
		/** Chooses again, after the configuration changed. Never rejects. */
		choose,
		[Symbol.dispose]() {
			closed = true;
		},
		/**
		 * The model for a run; looks for one again if the last look found none and was 30 s ago. `name`: another model of the configured provider, or of a server on this machine
		 * that lists it; the offline model is used whatever `name` says.
		 */
		async current(name?: string): Promise<ModelChoice> {
			const {model, environment} = config();
			if (name === undefined) {
				return {...(await current()), heard};
			}

			if (model.provider === 'auto' && !model.baseUrl) {
				const found = await current();
				if (found.view.provider === 'offline') {
					return found;
				}
			}

			// The configured price applies only to the model that the configuration names.
			const {price, ...others} = model;
			const isSame = name === model.name;
			return chooseModel(
				{model: {...others, name, ...(isSame && price && {price})}, environment},
				options,
			);
		},
	};
}
