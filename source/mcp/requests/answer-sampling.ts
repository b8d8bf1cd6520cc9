import type {CreateMessageRequestParams, CreateMessageResult} from '@modelcontextprotocol/client';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import {messageOf} from '../../core/errors.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {World} from '../../core/world.ts';
import {type CallsUnderWay, runIdOf} from '../connection/calls-under-way.ts';
import {withDeadline} from '../connection/with-deadline.ts';
import type {Sample} from '../contract.ts';
import {judgeSampling} from './judge-sampling.ts';
import {createRefusalLog, createRequestWindow, type RequestWindow} from './request-limits.ts';

/** What the protocol has for a person, or a policy, that says no. */
const refusedCode = -1;

/** A request that is not answered; the server reads the message. */
class Refusal extends Error {
	override readonly name = 'Refusal';
	readonly code = refusedCode;
}

export type SamplingHandlerDependencies = Pick<World, 'clock' | 'log' | 'redact'> & {
	readonly server: ToolServerConfig;
	readonly profile: string;
	readonly calls: CallsUnderWay;
	/** Absent: no server may ask. */
	readonly sample?: Sample | undefined;
	/** When the server asked before; absent: over this connection alone. */
	readonly samplingWindow?: RequestWindow;
};

/**
 * Asks our model for a server, as far as its policy allows. Rejects with `Refusal` otherwise; what it says goes to the server.
 *
 * @see manual/tool-servers.md#bounds
 */
export function createSamplingHandler({
	server,
	profile,
	clock,
	log,
	redact,
	calls,
	sample,
	samplingWindow: times = createRequestWindow(clock),
}: SamplingHandlerDependencies) {
	const {timeoutMs} = server.sampling;
	const tell = createRefusalLog({clock, log, server: server.name});

	return async (
		params: CreateMessageRequestParams,
		signal: AbortSignal,
	): Promise<CreateMessageResult> => {
		const verdict = judgeSampling(params, server.sampling, {
			recent: times.recent(),
			now: clock.monotonic(),
		});
		if (!verdict.allowed || !sample) {
			const reason = verdict.allowed ? 'there is no model' : verdict.reason;
			tell(`A sampling request is refused: ${reason}`);
			throw new Refusal(`Sampling was refused: ${reason}`);
		}

		times.add();
		const pause = calls.pause();
		try {
			const message = () => `no answer within ${timeoutMs / 1000} s`;
			const asked = {...verdict.sample, server: server.name, profile, ...runIdOf(calls)};
			const {text, model, stopReason} = await withDeadline(
				{clock, timeoutMs, signal, message},
				async limited => sample({...asked, signal: limited}),
			);
			return {
				role: 'assistant',
				content: {type: 'text', text: redact(text)},
				model,
				...(stopReason !== undefined && {stopReason}),
			};
		} catch (error) {
			throw new Refusal(`Sampling failed: ${escapeLine(redact(messageOf(error)), 300)}`);
		} finally {
			pause[Symbol.dispose]();
		}
	};
}
