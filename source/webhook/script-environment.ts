const passedOn = /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z]+|TMPDIR)$/;

/** What a script may know of our environment: no secret, nothing of `.env` but these names. @see manual/filters-and-templates.md#scripts */
export function scriptEnvironment(
	environment: Readonly<Record<string, string>>,
	{event, deliveryId}: {readonly event: string; readonly deliveryId: string},
): Record<string, string> {
	const passed = Object.entries(environment).filter(([name]) => passedOn.test(name));
	return {
		...Object.fromEntries(passed),
		SVC_WEBHOOK_EVENT_TYPE: event,
		SVC_WEBHOOK_DELIVERY_ID: deliveryId,
	};
}
