import {approvalEndpoints, type ApprovalDesk} from './approvals.ts';
import {chatEndpoint} from './chat/chat-endpoint.ts';
import type {ChatWorld} from './chat/chat-world.ts';
import type {Endpoint} from './http/endpoint.ts';
import {modelEndpoints, type ModelFacts} from './list-models.ts';
import {openApiEndpoint} from './openapi-endpoint.ts';
import {responsesEndpoint} from './responses/responses-endpoint.ts';

/** All that the API does; `openapi.yaml` tells of it. */
export const endpointsOf = (
	world: ModelFacts & ChatWorld & {readonly approvals: ApprovalDesk},
): readonly Endpoint[] => [
	...modelEndpoints(world),
	chatEndpoint(world),
	responsesEndpoint(world),
	...approvalEndpoints(world.approvals),
	openApiEndpoint(),
];
