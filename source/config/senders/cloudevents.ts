import type {Names} from './sender.ts';

/** The content type of an event that is whole in the body; any other body is its data alone, and headers name it. @see cloudevents.io, HTTP Protocol Binding 1.0.2 §3 */
const structured = /^application\/cloudevents\+/i;

/** Where a CloudEvent is named. Each source numbers its own events: only with its source an `id` is one. */
export const cloudEventNames = (contentType: string | undefined): Names =>
	structured.test(contentType ?? '')
		? {eventFields: ['type'], idFields: [['source', 'id']]}
		: {eventHeaders: ['ce-type'], idHeaders: [['ce-source', 'ce-id']]};
