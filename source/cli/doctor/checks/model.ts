import {createAuthorities} from '../../../config/authorities.ts';
import {messageOf} from '../../../core/errors.ts';
import {silentLogger} from '../../../core/log.ts';
import {type Check, failed, type CheckResult, ok, unread, warning} from './check.ts';

/** The model that would answer, chosen like the gateway does, then asked for its list of models, which is free. */
export const model: Check = {
	subject: 'model',
	asks: true,
	async look(world, signal) {
		const {config, context} = world;
		if (!config) {
			return unread;
		}

		const {chooseModel} = await import('../../../agent/choose-model.ts');
		const {createModelFetch} = await import('../../../agent/model-fetch.ts');
		const authorities = createAuthorities(() => config, {log: silentLogger});
		await using modelFetch = createModelFetch({
			secureContext: () => authorities.context(),
		});
		try {
			const choice = await chooseModel(config, {
				clock: context.clock,
				fetch: modelFetch.fetch,
			});
			const {view, host, offers} = choice;
			const answer = await choice.ask(signal);
			if (!answer) {
				return offline(view.origin, offers[0]?.view.provider);
			}

			if (answer.date !== undefined) {
				world.heard.push({from: host ?? view.provider, date: answer.date, at: context.clock.now()});
			}

			return healthOf(answer, {name: view.name, at: `${view.provider} at ${host ?? '?'}`});
		} catch (error) {
			return failed(
				signal.aborted ? 'it did not answer in time' : whyOf(error),
				'see "model" in config.yaml: svc help model',
			);
		}
	},
};

/** The cause hidden by `TypeError: fetch failed`: `connect ECONNREFUSED 127.0.0.1:11434`. */
const whyOf = (error: unknown): string =>
	error instanceof TypeError && error.cause !== undefined
		? `it cannot be reached: ${messageOf(error.cause)}`
		: messageOf(error);

function offline(origin: string, provider: string | undefined): CheckResult {
	const found = `svc-offline-1 (${origin}): a rule-based digest and no language model; its text goes to the log alone`;
	return origin === 'configured'
		? ok(found)
		: warning(
				found,
				provider === undefined
					? 'set model.provider, or start a local server such as Ollama: svc help model'
					: `a key of ${provider} is there; using it costs money: model.provider: ${provider} in config.yaml`,
			);
}

const refusals: ReadonlySet<number> = new Set([401, 403]);

/** What an answer to the request for models means. Pure. */
export function healthOf(
	{status, lists}: {readonly status: number; readonly lists?: boolean},
	{name, at}: {readonly name: string; readonly at: string},
): CheckResult {
	if (refusals.has(status)) {
		return failed(
			`${at} refuses the key (${status})`,
			'set model.api_key, or the variable that it names, to a key that is valid',
		);
	}

	if (status >= 500 || status === 429) {
		return warning(`${at} answers ${status}: it may be overloaded or down`, 'try again later');
	}

	if (status >= 300 && status !== 404 && status !== 405) {
		return failed(`${at} answers ${status}`, 'see model.base_url in config.yaml: svc help model');
	}

	if (status >= 300) {
		return warning(
			`${at} answers, and has no list of models (${status}): whether it has "${name}" shows with the first run`,
			'see model.base_url in config.yaml; it usually ends with /v1',
		);
	}

	return lists === false
		? warning(`${at} answers and does not list "${name}"`, 'see model.name in config.yaml')
		: ok(`${name} of ${at} answers`);
}
