import {approvalEndpoints} from './endpoints/approval-endpoints.ts';
import {deliveryEndpoints} from './endpoints/delivery-endpoints.ts';
import type {ControlEndpoint} from './endpoints/endpoint.ts';
import {gatewayEndpoints} from './endpoints/gateway-endpoints.ts';
import {groupEndpoints} from './endpoints/group-endpoints.ts';
import {jobEndpoints} from './endpoints/job-endpoints.ts';
import {runEndpoints} from './endpoints/run-endpoints.ts';
import {serverEndpoints} from './endpoints/server-endpoints.ts';

/** Every operation of the control API but the event stream. */
export const controlEndpoints: readonly ControlEndpoint[] = [
	...deliveryEndpoints,
	...runEndpoints,
	...groupEndpoints,
	...jobEndpoints,
	...approvalEndpoints,
	...serverEndpoints,
	...gatewayEndpoints,
];
