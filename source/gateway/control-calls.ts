import type {RouteView} from '../core/config-view.ts';
import type {Delivery, StoredDelivery} from '../core/delivery.ts';
import {codeOf, messageOf, SvcError} from '../core/errors.ts';
import type {Group, StoredGroup} from '../core/group.ts';
import type {JobView} from '../core/job.ts';
import type {JsonValue} from '../core/json.ts';
import type {Run, StoredRun} from '../core/run.ts';
import {createApprovalCalls} from './approval-calls.ts';
import {callControl, shortSilenceMs} from './control-client.ts';
import type {
	GatewayCommands,
	GatewayStatus,
	ReceiverAnswer,
	ReplayPlan,
	StopConsequences,
} from './port.ts';
import {createServerCalls} from './server-calls.ts';
import {fromWire, toWire, type WireDelivery} from './wire-delivery.ts';

/** Deliveries of one import that travel together; each may hold a body. */
const importedAtOnce = 50;

/** Bytes of bodies that travel together; one that is larger goes alone. */
const importedBytesAtOnce = 8 * 1024 * 1024;

/** The commands of the gateway that listens on `socket`; each is one call. Reject with `gateway_not_running` when none does. */
export function createControlCalls(socket: string): GatewayCommands {
	const get = async <T>(path: string) => callControl<T>(socket, path);
	const post = async <T>(path: string, body?: JsonValue) =>
		callControl<T>(socket, path, {method: 'POST', ...(body !== undefined && {body})});

	return {
		async getDelivery(id) {
			const wire = await get<WireDelivery | undefined>(`/v1/deliveries/${encodeURIComponent(id)}`);
			return wire && fromWire(wire);
		},
		listDeliveries: ({outcomes, runStates, ...filter}) =>
			get<readonly Delivery[]>(
				`/v1/deliveries?${queryOf({...filter, outcome: outcomes, run_state: runStates})}`,
			),
		getRun: id => get<StoredRun | undefined>(`/v1/runs/${id}`),
		listRuns: ({states, ...filter}) =>
			get<readonly Run[]>(`/v1/runs?${queryOf({...filter, state: states})}`),
		getGroup: id => get<StoredGroup | undefined>(`/v1/groups/${id}`),
		listGroups: filter => get<readonly Group[]>(`/v1/groups?${queryOf(filter)}`),
		dispatchGroup: id => post<boolean>(`/v1/groups/${id}/dispatch`),
		listJobs: () => get<readonly JobView[]>('/v1/jobs'),
		runJob: (job, options = {}) =>
			post<{readonly runId: number}>(`/v1/jobs/${encodeURIComponent(job)}/run`, {...options}),
		async setJobPaused(job, options) {
			await post(`/v1/jobs/${encodeURIComponent(job)}/pause`, {...options});
		},
		async importDeliveries(deliveries) {
			let count = 0;
			for (const batch of batchesOf(deliveries)) {
				try {
					// oxlint-disable-next-line no-await-in-loop -- one batch after the other keeps their order
					count += await post<number>('/v1/deliveries', {deliveries: batch.map(jsonOf)});
				} catch (error) {
					throw count === 0
						? error
						: new SvcError(
								codeOf(error),
								`${messageOf(error)}; ${count} before those were taken in`,
								{cause: error},
							);
				}
			}

			return count;
		},
		recoverDelivery: ({route, deliveryId, headers, body}) =>
			post<ReceiverAnswer>(`/v1/routes/${encodeURIComponent(route)}/recover`, {
				delivery_id: deliveryId,
				headers,
				body,
			}),
		planReplay: (id, options = {}) =>
			post<ReplayPlan>(`/v1/deliveries/${encodeURIComponent(id)}/replay-plan`, {...options}),
		replay: (id, options = {}) =>
			post<ReceiverAnswer>(`/v1/deliveries/${encodeURIComponent(id)}/replay`, {...options}),
		sendTestEvent: (route, options = {}) =>
			post<ReceiverAnswer>(`/v1/routes/${encodeURIComponent(route)}/test`, {...options}),
		curlLine: route => get<string>(`/v1/routes/${encodeURIComponent(route)}/curl`),
		...createApprovalCalls(socket),
		...createServerCalls(socket),
		cancelRun: id => post<boolean>(`/v1/runs/${id}/cancel`),
		retryRun: id => post<boolean>(`/v1/runs/${id}/retry`),
		async useModel(provider) {
			await post(`/v1/model/${encodeURIComponent(provider)}`);
		},
		listRoutes: () => get<readonly RouteView[]>('/v1/routes'),
		async reload() {
			await post('/v1/reload');
		},
		async restartReceiver() {
			await post('/v1/receiver/restart');
		},
		status: () => callControl<GatewayStatus>(socket, '/v1/status', {silenceMs: shortSilenceMs}),
		stopConsequences: () => get<StopConsequences>('/v1/stop-consequences'),
		async stop() {
			await post('/v1/stop');
		},
	};
}

function queryOf(
	filter: Readonly<Record<string, string | number | readonly string[] | undefined>>,
): string {
	const query = new URLSearchParams();
	for (const [key, value = []] of Object.entries(filter)) {
		for (const one of typeof value === 'object' ? value : [value]) {
			query.append(key, String(one));
		}
	}

	return query.toString();
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made for it
const jsonOf = (delivery: StoredDelivery) => toWire(delivery) as unknown as JsonValue;

function* batchesOf(deliveries: readonly StoredDelivery[]): Generator<readonly StoredDelivery[]> {
	let batch: StoredDelivery[] = [];
	let bytes = 0;
	for (const delivery of deliveries) {
		const size = delivery.body?.length ?? 0;
		if (
			batch.length === importedAtOnce ||
			(batch.length > 0 && bytes + size > importedBytesAtOnce)
		) {
			yield batch;
			batch = [];
			bytes = 0;
		}

		batch.push(delivery);
		bytes += size;
	}

	if (batch.length > 0) {
		yield batch;
	}
}
