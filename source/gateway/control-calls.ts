import type {RouteView} from '../core/config-view.ts';
import type {Delivery} from '../core/delivery.ts';
import type {JsonValue} from '../core/json.ts';
import type {Run, StoredRun} from '../core/run.ts';
import {callControl} from './control-client.ts';
import {fromWire, type WireDelivery} from './control-endpoints.ts';
import type {
	GatewayCommands,
	GatewayStatus,
	ReceiverAnswer,
	ReplayPlan,
	StopConsequences,
} from './port.ts';

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
		listDeliveries: filter =>
			get<readonly Delivery[]>(`/v1/deliveries?${queryOf(filter).toString()}`),
		getRun: id => get<StoredRun | undefined>(`/v1/runs/${id}`),
		listRuns({states, ...filter}) {
			const query = queryOf(filter);
			for (const name of states ?? []) {
				query.append('state', name);
			}

			return get<readonly Run[]>(`/v1/runs?${query.toString()}`);
		},
		planReplay: id => get<ReplayPlan>(`/v1/deliveries/${encodeURIComponent(id)}/replay-plan`),
		replay: (id, options = {}) =>
			post<ReceiverAnswer>(`/v1/deliveries/${encodeURIComponent(id)}/replay`, {...options}),
		sendTestEvent: (route, options = {}) =>
			post<ReceiverAnswer>(`/v1/routes/${encodeURIComponent(route)}/test`, {...options}),
		curlLine: route => get<string>(`/v1/routes/${encodeURIComponent(route)}/curl`),
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
		status: () => get<GatewayStatus>('/v1/status'),
		stopConsequences: () => get<StopConsequences>('/v1/stop-consequences'),
		async stop() {
			await post('/v1/stop');
		},
	};
}

function queryOf(filter: Readonly<Record<string, string | number | undefined>>): URLSearchParams {
	const query = new URLSearchParams();
	for (const [key, value] of Object.entries(filter)) {
		if (value !== undefined) {
			query.set(key, String(value));
		}
	}

	return query;
}
