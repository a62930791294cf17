"""Code that cannot harm: one protocol, several jails, the strongest one taken, and none at all rather than a weak one.

``strongest(settings)`` gives a jail; ``jail.run(job, folder)`` runs code in it. See ``protocol`` for what is promised.
"""
