"""What happened when: timing marks, figures, progress, and announcements to open pages."""
