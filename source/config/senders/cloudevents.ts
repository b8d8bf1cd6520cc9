import type {Names} from './sender.ts';

/**
 * The content type of a structured CloudEvent, whose attributes are in the body; with any other type the body is the data, and headers hold the attributes.
 *
 * @see cloudevents.io, HTTP Protocol Binding 1.0.2 §3
 */
const structured = /^application\/cloudevents\+/i;

/** The fields or headers that name a CloudEvent. Each source numbers its own events: an `id` is unique only together with its source. */
export const cloudEventNames = (contentType: string | undefined): Names =>
	structured.test(contentType ?? '')
		? {eventFields: ['type'], idFields: [['source', 'id']]}
		: {eventHeaders: ['ce-type'], idHeaders: [['ce-source', 'ce-id']]};
