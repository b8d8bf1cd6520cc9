import type {Sending} from './sending.ts';

/** A merge request of GitLab. */
export const mergeRequest = (iid: number, title: string): Sending => ({
	route: 'gl-merge',
	event: 'Merge Request Hook',
	sender: 'gitlab',
	payload: {
		object_kind: 'merge_request',
		event_type: 'merge_request',
		user: {id: 51, name: 'Ada Okafor', username: 'ada', email: '[REDACTED]'},
		project: {
			id: 15,
			name: 'harbour',
			path_with_namespace: 'northwind/harbour',
			web_url: 'https://gitlab.example.com/northwind/harbour',
			default_branch: 'main',
		},
		object_attributes: {
			id: 9900 + iid,
			iid,
			title,
			description: 'Reads the list of ports once instead of at each call.',
			state: 'opened',
			action: 'open',
			source_branch: 'ports',
			target_branch: 'main',
			url: `https://gitlab.example.com/northwind/harbour/-/merge_requests/${iid}`,
		},
		labels: [],
		changes: {},
	},
});

/** A payment of Stripe, under its identifier. */
export const payment = (id: string, type = 'payment_intent.payment_failed'): Sending => ({
	route: 'payments',
	event: type,
	sender: 'stripe',
	payload: {
		id,
		object: 'event',
		api_version: '2025-08-27.basil',
		created: 1_767_225_600,
		type,
		livemode: false,
		pending_webhooks: 1,
		request: {id: null, idempotency_key: null},
		data: {
			object:
				type === 'invoice.paid'
					? {id: 'in_1042', object: 'invoice', status: 'paid', amount_paid: 4900, currency: 'eur'}
					: {
							id: 'pi_3QaXz2',
							object: 'payment_intent',
							amount: 4900,
							currency: 'eur',
							status: 'requires_payment_method',
							description: 'Harbour Books, plan Team',
							last_payment_error: {code: 'expired_card', message: 'Your card has expired.'},
						},
		},
	},
});

/** What a monitor says of a host. */
export const alert = (
	host: string,
	level: 'info' | 'warning' | 'critical',
	message: string,
): Sending => ({
	route: 'alerts',
	event: 'alert',
	sender: 'own',
	payload: {
		event_type: 'alert',
		host,
		level,
		message,
		service: 'postgres',
		value: 91.4,
		threshold: 90,
		tags: {zone: 'eu-1', team: 'storage'},
	},
});

/** A form on a web site. */
export const lead = (name: string, company: string): Sending => ({
	route: 'leads',
	event: 'form',
	sender: 'own',
	payload: {
		event_type: 'form',
		name,
		company,
		message: 'Could you send the invoice by post?',
		page: 'https://northwind.example/contact',
	},
});
